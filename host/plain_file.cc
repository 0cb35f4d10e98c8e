// SPDX-License-Identifier: Apache-2.0
#include "host/plain_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace hilgate {
namespace {

constexpr std::size_t kStep = std::size_t{64} << 10;  // bytes read or written at once

}  // namespace

PlainFileError::PlainFileError(const std::filesystem::path& path, std::string why)
    : std::runtime_error(fmt::format("{}: {}", path.string(), why)), why_(std::move(why)) {}

FileDescriptor open_plain_file(const std::filesystem::path& path, const PlainFileRules& rules) {
  if (path.native().find('\0') != std::string::npos) {
    throw PlainFileError(path, "cannot be read: its name has a zero byte");
  }
  // O_NONBLOCK: a FIFO without a writer is opened at once, and refused below.
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (rules.owner ? O_NOFOLLOW : 0);
  FileDescriptor file(::open(path.c_str(), flags));
  struct stat facts {};
  if (!file.valid() || ::fstat(file.get(), &facts) != 0) {
    throw PlainFileError(path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (!S_ISREG(facts.st_mode)) {
    throw PlainFileError(path, "cannot be read: it is no regular file");
  }
  if (rules.owner && facts.st_uid != *rules.owner) {
    throw PlainFileError(path, fmt::format("belongs to user {}, not to {}; remove it", facts.st_uid, *rules.owner));
  }
  return file;
}

std::string read_plain_file(const std::filesystem::path& path, const PlainFileRules& rules) {
  const FileDescriptor file = open_plain_file(path, rules);
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    text.resize(before + kStep);
    const ssize_t got = ::read(file.get(), text.data() + before, kStep);
    if (got < 0 && errno != EINTR) {
      throw PlainFileError(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (text.size() > rules.most_bytes) {
      throw PlainFileError(
          path, fmt::format("has more than {} bytes, the most that is read of such a file", rules.most_bytes));
    }
    if (got == 0) {
      return text;
    }
  }
}

void replace_plain_file(const std::filesystem::path& path, std::string_view text) {
  const std::filesystem::path made = path.string() + fmt::format(".{}", ::getpid());
  try {
    const FileDescriptor file(
        checked(::open(made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644), path.string()));
    while (!text.empty()) {
      text.remove_prefix(static_cast<std::size_t>(
          checked(static_cast<int>(::write(file.get(), text.data(), std::min(text.size(), kStep))), path.string())));
    }
    struct stat before {};
    if (::lstat(path.c_str(), &before) == 0 && S_ISREG(before.st_mode)) {
      // Who may not give it away keeps it, which is no fault.
      static_cast<void>(::fchown(file.get(), before.st_uid, before.st_gid) == 0);
      checked(::fchmod(file.get(), before.st_mode & 07777U), path.string());
    }
    checked(::fsync(file.get()), path.string());
    std::filesystem::rename(made, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(made, ignored);
    throw;
  }
}

}  // namespace hilgate
