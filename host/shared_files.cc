// SPDX-License-Identifier: Apache-2.0
#include "host/shared_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "host/unix_socket.h"

namespace hilgate {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kFolder = 0750;
constexpr mode_t kFile = 0640;
constexpr mode_t kOthers = 0007;

void share_one(const fs::path& path, mode_t mode) {
  give_to_service_group(path.c_str());
  if (chmod(path.c_str(), mode) != 0) {
    throw std::system_error(errno, std::generic_category(), path.string());
  }
}

}  // namespace

void make_group_folders(const fs::path& folder) {
  if (folder.empty() || fs::is_directory(folder)) {
    return;
  }
  make_group_folders(folder.parent_path());
  if (mkdir(folder.c_str(), kFolder) != 0) {
    if (errno == EEXIST && fs::is_directory(folder)) {
      return;  // another process was first
    }
    throw std::system_error(errno, std::generic_category(), folder.string());
  }
  share_one(folder, kFolder);
}

void make_run_root(const fs::path& folder) {
  make_group_folders(folder);
  struct stat info {};
  if (lstat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() &&
      (info.st_mode & kOthers) != 0) {
    share_one(folder, kFolder);
  }
}

void share_with_group(const fs::path& path) {
  const fs::file_status status = fs::symlink_status(path);
  if (fs::is_directory(status)) {
    for (const auto& entry : fs::directory_iterator(path)) {
      share_with_group(entry.path());
    }
    share_one(path, kFolder);
  } else if (fs::is_regular_file(status)) {
    share_one(path, kFile);
  }
}

void share_with_group(int file) {
  if (const auto group = service_group()) {
    [[maybe_unused]] const int refused = fchown(file, static_cast<uid_t>(-1), *group);
  }
  [[maybe_unused]] const int refused = fchmod(file, kFile);
}

}  // namespace hilgate
