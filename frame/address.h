// SPDX-License-Identifier: Apache-2.0
// Link and network addresses as values; byte order is settled at construction.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace hilgate {

/// An IEEE 802 MAC address: the six bytes as they stand on the wire, most significant first.
class MacAddress {
 public:
  constexpr MacAddress() = default;
  constexpr explicit MacAddress(std::uint64_t value) : value_(value & 0xFFFF'FFFF'FFFF) {}

  /// Reads six bytes of a frame.
  static MacAddress from_wire(const std::byte* bytes) {
    std::uint64_t word = 0;
    std::memcpy(reinterpret_cast<char*>(&word) + 2, bytes, 6);
    return MacAddress{__builtin_bswap64(word)};
  }
  /// Writes six bytes of a frame.
  void to_wire(std::byte* bytes) const {
    const std::uint64_t word = __builtin_bswap64(value_);
    std::memcpy(bytes, reinterpret_cast<const char*>(&word) + 2, 6);
  }
  /// Parses "02:68:67:00:00:01"; empty when it is not of that form.
  static std::optional<MacAddress> parse(std::string_view text);

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  /// Multicast or broadcast.
  [[nodiscard]] constexpr bool is_group() const { return ((value_ >> 40) & 1) != 0; }
  [[nodiscard]] std::string text() const;
  friend constexpr auto operator<=>(MacAddress, MacAddress) = default;

 private:
  std::uint64_t value_ = 0;
};

/// An IPv4 or IPv6 address; IPv4 is kept in its mapped form (RFC 4291, 2.5.5.2), so that one table holds both.
class IpAddress {
 public:
  constexpr IpAddress() = default;
  static IpAddress from_wire_v4(const std::byte* bytes);
  static IpAddress from_wire_v6(const std::byte* bytes);
  /// Parses "10.0.0.1" or "fd77::1"; empty when it is neither.
  static std::optional<IpAddress> parse(std::string_view text);

  [[nodiscard]] bool is_v4() const;
  /// In host byte order; requires is_v4().
  [[nodiscard]] std::uint32_t v4() const;
  /// 224.0.0.0/4 or ff00::/8.
  [[nodiscard]] bool is_multicast() const;
  /// 0.0.0.0 or ::
  [[nodiscard]] bool is_unspecified() const;
  [[nodiscard]] std::string text() const;
  [[nodiscard]] constexpr std::uint64_t high() const { return words_[0]; }
  [[nodiscard]] constexpr std::uint64_t low() const { return words_[1]; }
  friend constexpr auto operator<=>(const IpAddress&, const IpAddress&) = default;

 private:
  std::array<std::uint64_t, 2> words_{};  // in memory order, so equal addresses have equal words
};

}  // namespace hilgate
