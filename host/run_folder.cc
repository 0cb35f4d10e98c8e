// SPDX-License-Identifier: Apache-2.0
#include "host/run_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "host/shared_files.h"
#include "host/unix_socket.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;

// Without the set-group-ID bit, which RestrictSUIDSGID in the unit forbids: sockets get their group one by one.
constexpr mode_t kShared = 0770;
const fs::path kSystemRoot = "/run/hilgate";

std::optional<fs::path> user_root() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && *runtime == '/' ? std::optional<fs::path>(fs::path(runtime) / "hilgate") : std::nullopt;
}

bool may_write(const fs::path& folder) {
  return faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) == 0;
}

bool may_enter(const fs::path& folder) {
  return faccessat(AT_FDCWD, folder.c_str(), X_OK, AT_EACCESS) == 0;
}

[[noreturn]] void refuse(const fs::path& folder, const std::string& why) {
  throw std::runtime_error(fmt::format("{}: {}; be root or in the group {}, or name a socket with `address`",
                                       folder.string(), why, kServiceGroup));
}

// Any user who may write to a run root can make folders there; /run/hilgate itself only by root.
bool trusted_owner(const struct stat& folder) {
  const auto group = service_group();
  return folder.st_uid == 0 || folder.st_uid == geteuid() || (group && folder.st_gid == *group);
}

void share(const fs::path& folder) {
  give_to_service_group(folder.c_str());
  if (chmod(folder.c_str(), kShared) != 0) {
    refuse(folder, std::generic_category().message(errno));
  }
}

}  // namespace

fs::path run_folder(std::string_view name, RunSide side) {
  fs::path system = kSystemRoot / name;
  const auto user = user_root();
  if (!user || geteuid() == 0 || may_enter(system)) {
    return system;
  }
  if (may_enter(*user / name)) {
    return *user / name;
  }
  const bool expected = side == RunSide::kSimulator && in_service_group();
  return expected || may_write(kSystemRoot) ? system : *user / name;
}

std::string only_run() {
  std::vector<std::string> names;
  std::vector<fs::path> roots{kSystemRoot};
  if (const auto user = user_root()) {
    roots.push_back(*user);
  }
  for (const fs::path& root : roots) {
    std::error_code none;  // no such folder: no runs
    for (const auto& entry : fs::directory_iterator(root, none)) {
      if (entry.is_directory(none)) {
        names.push_back(entry.path().filename());
      }
    }
  }
  if (names.size() == 1) {
    return names.front();
  }
  throw std::runtime_error(names.empty() ? "no run has a folder in /run/hilgate yet; name the run (--run NAME) to wait "
                                           "for it, or a socket (--socket)"
                                         : fmt::format("several runs have folders in /run/hilgate ({}); name one of "
                                                       "them (--run NAME), or a socket (--socket)",
                                                       fmt::join(names, ", ")));
}

bool is_run_folder(const fs::path& folder) {
  const fs::path root = folder.parent_path();
  return !folder.filename().empty() && (root == kSystemRoot || root == user_root());
}

void make_run_folder(const fs::path& folder) {
  try {
    make_run_root(folder.parent_path());
  } catch (const std::system_error&) {
    // the next line reports what is wrong
  }
  if (mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST) {
    refuse(folder, "cannot be made: " + std::generic_category().message(errno));
  }
  struct stat info {};
  if (lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    refuse(folder, "is no folder");
  }
  if (!trusted_owner(info)) {
    refuse(folder, fmt::format("belongs to user number {}", info.st_uid));
  }
  if (info.st_uid == geteuid()) {
    share(folder);
  }
}

}  // namespace hilgate
