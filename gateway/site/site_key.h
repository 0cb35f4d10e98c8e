// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

namespace hilgate {

/// What only the gateways of a site know. A proof is a keyed BLAKE2b of 16 bytes (RFC 7693; libsodium), of all that it
/// is about and of whom it is for: without the key nobody makes one, or another text for one that he has heard.
class SiteKey {
 public:
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kProof = 16;
  using Proof = std::array<std::byte, kProof>;

  explicit SiteKey(const std::array<unsigned char, kBytes>& secret) : secret_(secret) {}
  /// A file with 64 hexadecimal digits, which only its owner and group may read. Throws std::runtime_error that says
  /// what would be right.
  static SiteKey load(const std::filesystem::path& file);

  /// Of the parts, one behind the other. `receiver`: a gateway, so that what was meant for one is nothing to another.
  [[nodiscard]] Proof proof(std::uint32_t receiver, std::span<const std::span<const std::byte>> parts) const noexcept;
  /// In a time that says nothing of where they differ.
  static bool same(std::span<const std::byte, kProof> one, std::span<const std::byte, kProof> other) noexcept;

 private:
  std::array<unsigned char, kBytes> secret_;
};

}  // namespace hilgate
