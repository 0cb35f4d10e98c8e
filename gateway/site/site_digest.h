// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace hilgate {

/// A number for what a site's gateways must have alike: FNV-1a, 64 bits. It tells mistakes, and keeps out
/// nobody who means harm.
class SiteDigest {
 public:
  void add(std::string_view bytes) noexcept {
    for (const char c : bytes) {
      value_ = (value_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    value_ = (value_ ^ 0x100) * 0x100000001B3;  // so that two texts are not as one
  }
  /// What is in a file; nothing where it cannot be read.
  void add_file(const std::filesystem::path& file);
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xCBF29CE484222325;
};

}  // namespace hilgate
