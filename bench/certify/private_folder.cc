// SPDX-License-Identifier: Apache-2.0
#include "bench/certify/private_folder.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace hilgate {
namespace {

constexpr std::string_view kPrefix = "hilgate-certify-";

std::optional<pid_t> process_of(const std::string& name) {
  pid_t process = 0;
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  const char* end = name.data() + name.size();
  const auto [at, error] = std::from_chars(name.data() + kPrefix.size(), end, process);
  return error == std::errc{} && at == end && process > 0 ? std::optional(process) : std::nullopt;
}

bool is_ours(const std::filesystem::path& folder) {
  struct stat found {};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == ::geteuid();
}

}  // namespace

std::filesystem::path make_private_folder(pid_t process) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("{}{}", kPrefix, process);
  if (::mkdir(folder.c_str(), 0700) != 0) {
    throw std::runtime_error(fmt::format("{}: {}", folder.string(), std::strerror(errno)));
  }
  return folder;
}

void remove_private_folders(pid_t ended) noexcept {
  std::error_code ignored;
  for (std::filesystem::directory_iterator entry(std::filesystem::temp_directory_path(ignored), ignored), none;
       entry != none; entry.increment(ignored)) {
    const auto process = process_of(entry->path().filename());
    const bool is_over = process && (*process == ended || (::kill(*process, 0) != 0 && errno == ESRCH));
    if (is_over && is_ours(entry->path())) {
      std::filesystem::remove_all(entry->path(), ignored);
    }
  }
}

}  // namespace hilgate
