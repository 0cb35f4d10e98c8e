// SPDX-License-Identifier: Apache-2.0
#include "host/socket_path.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "host/file_descriptor.h"
#include "host/peer_credentials.h"
#include "host/run_folder.h"

namespace hilgate {
namespace {

constexpr mode_t kOwnerAndGroup = 0660;

// Empty when no process answers there.
std::string who_listens(const std::string& path) {
  try {
    const auto listener = socket_listener(path);
    return listener ? listener->text() : "";
  } catch (const std::system_error& error) {
    return error.code() == std::errc::resource_unavailable_try_again
               ? "a process that takes no more connections"
               : fmt::format("somebody else's ({})", error.code().message());
  }
}

// Empty when the path is free, or only a dead process's.
std::string occupied(const std::string& path) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0) {
    return "";
  }
  if (!S_ISSOCK(info.st_mode)) {
    return fmt::format("{} exists and is not a socket", path);
  }
  const std::string who = who_listens(path);
  return who.empty()
             ? ""
             : fmt::format("another process is listening on unix:{}: {}; end it, or choose another path", path, who);
}

}  // namespace

std::optional<LocalPeer> socket_listener(const std::string& path) {
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  if (path.size() >= sizeof address.sun_path) {
    throw std::system_error(ENAMETOOLONG, std::generic_category(), path);
  }
  std::copy(path.begin(), path.end(), address.sun_path);
  for (const int type : {SOCK_STREAM, SOCK_SEQPACKET}) {
    // Not blocking: a listener whose queue is full answers EAGAIN.
    const FileDescriptor probe(checked(socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
    if (connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      return local_peer(probe.get());
    }
    if (errno != EPROTOTYPE) {  // a listener of another type
      break;
    }
  }
  if (errno == ECONNREFUSED || errno == ENOENT) {
    return std::nullopt;
  }
  throw std::system_error(errno, std::generic_category(), path);
}

std::string socket_path_problem(const std::string& path, bool listens) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored)) {
    return is_run_folder(folder)
               ? ""
               : fmt::format("there is no folder {}; make it, or choose another path", folder.string());
  }
  return listens ? occupied(path) : "";
}

void free_socket_path(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (is_run_folder(folder)) {
    make_run_folder(folder);
  }
  if (const std::string problem = occupied(path); !problem.empty()) {
    throw std::runtime_error(problem);
  }
  unlink(path.c_str());
}

void share_socket_path(const std::string& path) {
  give_to_service_group(path.c_str());
  if (chmod(path.c_str(), kOwnerAndGroup) != 0) {
    throw std::system_error(errno, std::generic_category(), path);
  }
}

void remove_socket_path(const std::string& path) noexcept {
  unlink(path.c_str());
  leave_run_folder(path);
}

void leave_run_folder(const std::string& path) noexcept {
  try {
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (is_run_folder(folder)) {
      rmdir(folder.c_str());
    }
  } catch (const std::bad_alloc&) {  // the folder stays
  }
}

}  // namespace hilgate
