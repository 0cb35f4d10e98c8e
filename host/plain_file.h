// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "host/file_descriptor.h"

namespace hilgate {

struct PlainFileRules {
  std::size_t most_bytes = std::size_t{64} << 20;
  std::optional<uid_t> owner{};  // whose file it must be, and then no symbolic link leads to it
};

/// what() is the file's name, a colon and why it was not read.
class PlainFileError : public std::runtime_error {
 public:
  PlainFileError(const std::filesystem::path& path, std::string why);

  /// Without the file's name, for callers that add it.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::string why_;
};

/// A regular file, to be read from. Never waits: no FIFO, device or directory is opened, whatever its origin. Throws
/// PlainFileError if it cannot be opened, is no regular file or another user's, or if its name has a zero byte, at
/// which the system would cut it off.
FileDescriptor open_plain_file(const std::filesystem::path& path, const PlainFileRules& rules = {});

/// Its content. Throws as open_plain_file(), and if it is too long.
std::string read_plain_file(const std::filesystem::path& path, const PlainFileRules& rules = {});

/// Writes a file, replacing any existing one at once and for good: a symbolic link is replaced, not followed. The mode
/// of a file that was there stays, and its owner where this process may give files away. Throws std::system_error.
void replace_plain_file(const std::filesystem::path& path, std::string_view text);

}  // namespace hilgate
