// SPDX-License-Identifier: Apache-2.0
#include "host/plain_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate {

PlainFileError::PlainFileError(const std::filesystem::path& path, std::string why)
    : std::runtime_error(fmt::format("{}: {}", path.string(), why)), why_(std::move(why)) {}

std::string read_plain_file(const std::filesystem::path& path, const PlainFileRules& rules) {
  if (path.native().find('\0') != std::string::npos) {
    throw PlainFileError(path, "cannot be read: its name has a zero byte");
  }
  // O_NONBLOCK: a FIFO without a writer is opened at once, and refused below.
  const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (rules.owner ? O_NOFOLLOW : 0);
  const FileDescriptor file(::open(path.c_str(), flags));
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
  std::string text;
  for (;;) {
    const std::size_t before = text.size();
    constexpr std::size_t kStep = std::size_t{64} << 10;
    text.resize(before + kStep);
    const ssize_t got = ::read(file.get(), text.data() + before, kStep);
    if (got < 0 && errno != EINTR) {
      throw PlainFileError(path, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (text.size() > rules.most_bytes) {
      throw PlainFileError(path, fmt::format("has more than {} bytes", rules.most_bytes));
    }
    if (got == 0) {
      return text;
    }
  }
}

}  // namespace hilgate
