// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace hilgate {

/// The kernel's files in /proc and /sys, below `root`: "/", or a copy for tests. Paths are without leading slash.
class HostFiles {
 public:
  explicit HostFiles(std::filesystem::path root = "/") : root_(std::move(root)) {}

  [[nodiscard]] bool exists(const std::string& path) const;
  /// The first line; empty when there is no such file or it cannot be read.
  [[nodiscard]] std::optional<std::string> line(const std::string& path) const;
  [[nodiscard]] std::optional<std::uint64_t> number(const std::string& path) const;
  /// The first line of a file that begins with `key`.
  [[nodiscard]] std::optional<std::string> line_of(const std::string& path, const std::string& key) const;
  /// Replaces a file's content. Why not, when it cannot be written; else empty.
  [[nodiscard]] std::string write(const std::string& path, const std::string& text) const;
  /// Names in a directory, sorted; none when it is not there.
  [[nodiscard]] std::vector<std::string> names(const std::string& path) const;

 private:
  std::filesystem::path root_;
};

}  // namespace hilgate
