// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

namespace hilgate {

struct PlainFileRules {
  std::size_t most_bytes = std::size_t{64} << 20;
  std::optional<uid_t> owner{};  // whose file it must be, and then no symbolic link leads to it
};

/// what() is the file's name, a colon and why it was not read.
class PlainFileError : public std::runtime_error {
 public:
  PlainFileError(const std::filesystem::path& path, std::string why);

  /// Without the file's name, for callers who say it themselves.
  [[nodiscard]] const std::string& why() const { return why_; }

 private:
  std::string why_;
};

/// The content of a regular file. Never waits: no FIFO, device or directory is read, whoever named it. Throws
/// PlainFileError if it cannot be opened, is no regular file, is too long or somebody else's, or if its name has a zero
/// byte, behind which the system would not read it.
std::string read_plain_file(const std::filesystem::path& path, const PlainFileRules& rules = {});

}  // namespace hilgate
