// SPDX-License-Identifier: Apache-2.0
#include "frame/address.h"

#include <arpa/inet.h>
#include <fmt/format.h>

namespace hilgate {
namespace {

constexpr std::array<std::uint8_t, 12> kMappedPrefix = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

int hex_digit(char c) {
  if (c >= '0' && c <= '9') {
    return c - '0';
  }
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::optional<MacAddress> MacAddress::parse(std::string_view text) {
  if (text.size() != 17) {
    return std::nullopt;
  }
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (i % 3 == 2) {
      if (text[i] != ':') {
        return std::nullopt;
      }
      continue;
    }
    const int digit = hex_digit(text[i]);
    if (digit < 0) {
      return std::nullopt;
    }
    value = (value << 4) | static_cast<std::uint64_t>(digit);
  }
  return MacAddress{value};
}

std::string MacAddress::text() const {
  const auto byte = [this](int i) { return static_cast<unsigned>((value_ >> (40 - 8 * i)) & 0xFF); };
  return fmt::format("{:02x}:{:02x}:{:02x}:{:02x}:{:02x}:{:02x}", byte(0), byte(1), byte(2), byte(3), byte(4), byte(5));
}

IpAddress IpAddress::from_wire_v4(const std::byte* bytes) {
  IpAddress address;
  std::memcpy(address.words_.data(), kMappedPrefix.data(), kMappedPrefix.size());
  std::memcpy(reinterpret_cast<char*>(address.words_.data()) + 12, bytes, 4);
  return address;
}

IpAddress IpAddress::from_wire_v6(const std::byte* bytes) {
  IpAddress address;
  std::memcpy(address.words_.data(), bytes, 16);
  return address;
}

std::optional<IpAddress> IpAddress::parse(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) {
    return std::nullopt;  // inet_pton would stop there and take what comes before
  }
  const std::string copy(text);
  std::array<std::byte, 16> bytes{};
  if (inet_pton(AF_INET, copy.c_str(), bytes.data()) == 1) {
    return from_wire_v4(bytes.data());
  }
  if (inet_pton(AF_INET6, copy.c_str(), bytes.data()) == 1) {
    return from_wire_v6(bytes.data());
  }
  return std::nullopt;
}

bool IpAddress::is_v4() const {
  return std::memcmp(words_.data(), kMappedPrefix.data(), kMappedPrefix.size()) == 0;
}

std::uint32_t IpAddress::v4() const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words_.data());
  return std::uint32_t{bytes[12]} << 24 | std::uint32_t{bytes[13]} << 16 | std::uint32_t{bytes[14]} << 8 | bytes[15];
}

bool IpAddress::is_multicast() const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words_.data());
  return is_v4() ? (bytes[12] & 0xF0) == 0xE0 : bytes[0] == 0xFF;
}

bool IpAddress::is_unspecified() const {
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(words_.data());
  return *this == IpAddress{} || (is_v4() && (bytes[12] | bytes[13] | bytes[14] | bytes[15]) == 0);
}

std::string IpAddress::text() const {
  std::array<char, INET6_ADDRSTRLEN> buffer{};
  const char* bytes = reinterpret_cast<const char*>(words_.data());
  if (is_v4()) {
    inet_ntop(AF_INET, bytes + 12, buffer.data(), buffer.size());
  } else {
    inet_ntop(AF_INET6, bytes, buffer.data(), buffer.size());
  }
  return buffer.data();
}

}  // namespace hilgate
