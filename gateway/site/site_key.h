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

/// The secret of a site's gateways. A proof is a keyed BLAKE2b of 16 bytes (RFC 7693; libsodium), of its content and
/// its receiver: without the key proofs can neither be made, nor moved from a received text to another one.
class SiteKey {
 public:
  static constexpr std::size_t kBytes = 32;
  static constexpr std::size_t kProof = 16;
  using Proof = std::array<std::byte, kProof>;

  explicit SiteKey(const std::array<unsigned char, kBytes>& secret) : secret_(secret) {}
  /// A file with 64 hexadecimal digits, which only its owner and group may read. Throws std::runtime_error with what
  /// would be right.
  static SiteKey load(const std::filesystem::path& file);

  /// Of the parts, concatenated. `receiver`: a gateway, so that a packet for one is invalid at another.
  [[nodiscard]] Proof proof(std::uint32_t receiver, std::span<const std::span<const std::byte>> parts) const noexcept;
  /// In a time that does not depend on where they differ.
  static bool same(std::span<const std::byte, kProof> one, std::span<const std::byte, kProof> other) noexcept;

 private:
  std::array<unsigned char, kBytes> secret_;
};

/// Proofs of messages between gateways outside the tunnels: which gateway sent a message, and that it is recent.
/// Without a key, texts stay as they are.
class SiteSeal {
 public:
  static constexpr Nanoseconds kOldest{5'000'000'000};

  SiteSeal(std::string site, std::optional<SiteKey> key) : site_(std::move(site)), key_(std::move(key)) {}

  /// Seals a text of a gateway; `kind` separates streams of texts, in each of which they come in order.
  [[nodiscard]] std::string seal(std::uint32_t gateway, char kind, std::string_view text, WallTime now) const;
  /// The text; nothing when it is not that gateway's, is old, or was there before.
  std::optional<std::string> open(std::uint32_t gateway, char kind, std::string_view sealed, WallTime now);

 private:
  [[nodiscard]] std::string proof(std::uint32_t gateway, char kind, std::string_view text_with_time) const;

  std::string site_;
  std::optional<SiteKey> key_;
  std::map<std::pair<std::uint32_t, char>, std::int64_t> last_;  // time of the last text, by gateway and kind
};

}  // namespace hilgate
