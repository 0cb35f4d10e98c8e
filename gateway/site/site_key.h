// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "clock/time.h"

// Bytes as texts without zeros, which DDS carries.

namespace hilgate {

/// Two digits a byte, small letters.
std::string hexadecimal(std::span<const std::byte> bytes);
/// Nothing where the text is not of that kind.
std::optional<std::vector<std::byte>> bytes_of_hexadecimal(std::string_view text);

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

/// Proofs of what gateways say to one another beside the tunnels: who said it, and that it was now. Without a key,
/// texts stay as they are.
class SiteSeal {
 public:
  static constexpr Nanoseconds kOldest{5'000'000'000};

  SiteSeal(std::string site, std::optional<SiteKey> key) : site_(std::move(site)), key_(std::move(key)) {}

  /// A text of a gateway; `kind` tells streams of texts apart, in each of which they come in order.
  [[nodiscard]] std::string seal(std::uint32_t gateway, char kind, std::string_view text, WallTime now) const;
  /// The text; nothing when it is not that gateway's, is old, or was there before.
  std::optional<std::string> open(std::uint32_t gateway, char kind, std::string_view sealed, WallTime now);

 private:
  [[nodiscard]] std::string proof(std::uint32_t gateway, char kind, std::string_view text_with_time) const;

  std::string site_;
  std::optional<SiteKey> key_;
  std::map<std::pair<std::uint32_t, char>, std::int64_t> last_;  // said at, by gateway and kind
};

}  // namespace hilgate
