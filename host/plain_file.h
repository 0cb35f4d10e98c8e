// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

namespace hilgate {

struct PlainFileRules {
  std::size_t most_bytes = std::size_t{64} << 20;
  std::optional<uid_t> owner{};  // whose file it must be, and then no symbolic link leads to it
};

/// The content of a regular file. Never waits: no FIFO, device or directory is read, whoever named it. Throws
/// std::runtime_error that names the file and says why not: it cannot be opened, is no regular file, is too long or
/// somebody else's.
std::string read_plain_file(const std::filesystem::path& path, const PlainFileRules& rules = {});

}  // namespace hilgate
