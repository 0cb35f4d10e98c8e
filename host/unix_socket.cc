// SPDX-License-Identifier: Apache-2.0
#include "host/unix_socket.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <grp.h>
#include <netinet/in.h>
#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "host/file_descriptor.h"
#include "host/process.h"
#include "host/run_folder.h"

namespace hilgate {
namespace {

constexpr std::size_t kNameServiceBuffer = std::size_t{16} * 1024;  // bytes for one entry of passwd or group

// The groups of the peer's process when it connected or began to listen, the effective one included.
std::vector<gid_t> groups_of(int socket, gid_t effective) {
  std::vector<gid_t> groups(64);
  auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
  int failed = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  if (failed != 0 && errno == ERANGE) {  // `bytes` is what it takes
    groups.resize(bytes / sizeof(gid_t));
    failed = getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes);
  }
  groups.resize(failed == 0 ? bytes / sizeof(gid_t) : 0);
  groups.push_back(effective);
  return groups;
}

bool is_member(int socket, gid_t effective) {
  const auto wanted = service_group();
  if (!wanted) {
    return false;
  }
  const auto groups = groups_of(socket, effective);
  return std::find(groups.begin(), groups.end(), *wanted) != groups.end();
}

std::string user_name(uid_t user) {
  std::array<char, kNameServiceBuffer> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? std::string(found->pw_name) : fmt::format("number {}", user);
}

std::string program_name(pid_t process) {
  std::string name;
  std::getline(std::ifstream(fmt::format("/proc/{}/comm", process)), name);
  return name;
}

}  // namespace

std::optional<gid_t> service_group() {
  std::array<char, kNameServiceBuffer> buffer{};
  group entry{};
  group* found = nullptr;
  getgrnam_r(kServiceGroup, &entry, buffer.data(), buffer.size(), &found);
  return found != nullptr ? std::optional<gid_t>(found->gr_gid) : std::nullopt;
}

bool in_service_group() {
  const auto wanted = service_group();
  return wanted && (getegid() == *wanted || group_member(*wanted) != 0);
}

void give_to_service_group(const char* path) {
  if (const auto group = service_group()) {
    [[maybe_unused]] const int refused = lchown(path, static_cast<uid_t>(-1), *group);
  }
}

std::string LocalPeer::text() const {
  const std::string program = process > 0 ? program_name(process) : "";
  const std::string unit = process > 0 ? service_unit(process) : "";
  return fmt::format("{}{} of user {}{}", process > 0 ? fmt::format("process {}", process) : "a process",
                     program.empty() ? "" : fmt::format(" ({})", program), user_name(user),
                     unit.empty() ? "" : fmt::format(" in {}", unit));
}

LocalPeer local_peer(int socket) {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    throw std::system_error(errno, std::generic_category(), "SO_PEERCRED");
  }
  const bool trusted = credentials.uid == 0 || credentials.uid == geteuid() || is_member(socket, credentials.gid);
  return {.process = credentials.pid, .user = credentials.uid, .trusted = trusted};
}

namespace {

// As the table of the kernel writes it: words of the address as they lie in memory, and the port.
std::string table_text(const sockaddr_storage& address) {
  if (address.ss_family == AF_INET) {
    const auto& ipv4 = reinterpret_cast<const sockaddr_in&>(address);
    return fmt::format("{:08X}:{:04X}", ipv4.sin_addr.s_addr, ntohs(ipv4.sin_port));
  }
  const auto& ipv6 = reinterpret_cast<const sockaddr_in6&>(address);
  const auto& words = ipv6.sin6_addr.s6_addr32;
  return fmt::format("{:08X}{:08X}{:08X}{:08X}:{:04X}", words[0], words[1], words[2], words[3], ntohs(ipv6.sin6_port));
}

// The user of the socket whose own address is `local`, connected to `remote`.
std::optional<uid_t> user_of(const std::string& table, const std::string& local, const std::string& remote) {
  std::ifstream rows(table);
  std::string row;
  std::getline(rows, row);  // its head
  while (std::getline(rows, row)) {
    std::istringstream fields(row);
    std::string number, its_local, its_remote, state, queues, timer, retransmits;
    uid_t user = 0;
    if (fields >> number >> its_local >> its_remote >> state >> queues >> timer >> retransmits >> user &&
        its_local == local && its_remote == remote) {
      return user;
    }
  }
  return std::nullopt;
}

bool is_in_service_group(uid_t user) {
  const auto wanted = service_group();
  std::vector<char> buffer(std::size_t{16} * 1024);
  passwd entry{};
  passwd* found = nullptr;
  getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found);
  if (!wanted || found == nullptr) {
    return false;
  }
  std::array<gid_t, 256> groups{};
  int count = groups.size();
  if (getgrouplist(found->pw_name, found->pw_gid, groups.data(), &count) < 0) {
    return false;  // of more groups than anybody is in
  }
  return std::find(groups.begin(), groups.begin() + count, *wanted) != groups.begin() + count;
}

/// Both ends of a connection.
struct TcpEnds {
  sockaddr_storage own{};
  sockaddr_storage peer{};
};

std::optional<TcpEnds> ends_of(int socket) {
  TcpEnds ends;
  socklen_t own_size = sizeof ends.own;
  socklen_t peer_size = sizeof ends.peer;
  const bool known = getsockname(socket, reinterpret_cast<sockaddr*>(&ends.own), &own_size) == 0 &&
                     getpeername(socket, reinterpret_cast<sockaddr*>(&ends.peer), &peer_size) == 0 &&
                     (ends.own.ss_family == AF_INET || ends.own.ss_family == AF_INET6);
  return known ? std::optional(ends) : std::nullopt;
}

std::optional<uid_t> user_of(const TcpEnds& ends) {
  return user_of(ends.own.ss_family == AF_INET ? "/proc/self/net/tcp" : "/proc/self/net/tcp6", table_text(ends.peer),
                 table_text(ends.own));
}

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET) {
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in&>(address).sin_addr, text.data(), text.size());
    return text.data();
  }
  in6_addr network = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  if (!IN6_IS_ADDR_V4MAPPED(&network)) {
    std::fill(std::begin(network.s6_addr) + 8, std::end(network.s6_addr), std::uint8_t{0});
  }
  inet_ntop(AF_INET6, &network, text.data(), text.size());
  return text.data();
}

}  // namespace

bool is_trusted_tcp_peer(int socket) {
  const auto ends = ends_of(socket);
  const auto user = ends ? user_of(*ends) : std::nullopt;
  return user && (*user == 0 || *user == geteuid() || is_in_service_group(*user));
}

std::string tcp_peer_text(int socket) {
  const auto ends = ends_of(socket);
  if (!ends) {
    return {};
  }
  const auto user = user_of(*ends);
  return user ? fmt::format("user {}", *user) : address_text(ends->peer);
}

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
