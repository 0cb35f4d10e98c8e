// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_passage.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::array<std::string_view, 3> kWords = {"keep", "transparent", "air"};

constexpr std::uint16_t kVlan = 0x8100;
constexpr std::uint16_t kServiceVlan = 0x88a8;
constexpr std::uint16_t kIpv4 = 0x0800;
constexpr std::uint16_t kIpv6 = 0x86dd;
constexpr std::uint8_t kUdp = 17;

using Bytes = std::span<const std::byte>;

// Where the UDP header starts; 0 when this is no whole UDP datagram.
std::size_t udp_in_ipv4(Bytes frame, std::size_t at) {
  if (frame.size() < at + 20 || load_be<std::uint8_t>(frame, at) >> 4 != 4) {
    return 0;
  }
  const std::size_t header = std::size_t{load_be<std::uint8_t>(frame, at)} % 16 * 4;
  constexpr std::uint16_t kMoreFragmentsOrOffset = 0x3fff;
  const bool fragment = (load_be<std::uint16_t>(frame, at + 6) & kMoreFragmentsOrOffset) != 0;
  return header < 20 || fragment || load_be<std::uint8_t>(frame, at + 9) != kUdp ? 0 : at + header;
}

std::size_t udp_in_ipv6(Bytes frame, std::size_t at) {
  if (frame.size() < at + 40 || load_be<std::uint8_t>(frame, at) >> 4 != 6) {
    return 0;
  }
  return load_be<std::uint8_t>(frame, at + 6) == kUdp ? at + 40 : 0;
}

bool is_ptp_port(Bytes frame, std::size_t udp) {
  if (udp == 0 || frame.size() < udp + 8) {
    return false;
  }
  const auto port = load_be<std::uint16_t>(frame, udp + 2);
  return port == kPtpEventPort || port == kPtpGeneralPort;
}

// RFC 1624, equation 3, over the four words of a 64-bit field at an even distance from the UDP header.
std::uint16_t mended(std::uint16_t checksum, std::uint64_t before, std::uint64_t after) {
  std::uint32_t sum = static_cast<std::uint16_t>(~checksum);
  for (int shift = 0; shift < 64; shift += 16) {
    sum += static_cast<std::uint16_t>(~(before >> shift));
    sum += static_cast<std::uint16_t>(after >> shift);
  }
  while (sum >> 16 != 0) {
    sum = (sum & 0xffff) + (sum >> 16);
  }
  return static_cast<std::uint16_t>(~sum);
}

}  // namespace

std::string_view name(PtpPassage passage) {
  return kWords[static_cast<std::size_t>(passage)];
}

std::string_view warning(PtpPassage passage) {
  return passage == PtpPassage::kThroughAir
             ? "PTP passes through the simulated medium: its delays and losses become errors of the robots' clocks"
             : std::string_view{};
}

std::optional<PtpPlace> find_ptp(std::span<const std::byte> frame) noexcept {
  std::size_t at = 12;
  std::uint16_t ethertype = 0;
  for (int tags = 0; tags <= 2; ++tags, at += 4) {
    if (frame.size() < at + 2) {
      return std::nullopt;
    }
    ethertype = load_be<std::uint16_t>(frame, at);
    if (ethertype != kVlan && ethertype != kServiceVlan) {
      break;
    }
  }
  at += 2;
  PtpPlace place;
  place.message = at;
  if (ethertype == kIpv4 || ethertype == kIpv6) {
    place.is_ipv6 = ethertype == kIpv6;
    place.udp = place.is_ipv6 ? udp_in_ipv6(frame, at) : udp_in_ipv4(frame, at);
    if (!is_ptp_port(frame, place.udp)) {
      return std::nullopt;
    }
    place.message = place.udp + 8;
  } else if (ethertype != kPtpEthertype) {
    return std::nullopt;
  }
  if (frame.size() < place.message) {
    return std::nullopt;
  }
  const auto header = parse_ptp_header(frame.subspan(place.message));
  if (!header) {
    return std::nullopt;
  }
  place.type = header->type;
  return place;
}

bool may_pass_beside_air(std::span<const std::byte> frame, std::uint32_t frame_length, const PtpPlace& place) noexcept {
  constexpr std::size_t kLongest = 128;
  constexpr std::size_t kShortestFrame = 60;  // without FCS; shorter messages are padded
  constexpr std::size_t kLengthAt = 2;
  constexpr std::size_t kIpv6Padding = 2;  // linuxptp and annex E append it over UDP over IPv6
  const std::size_t length = load_be<std::uint16_t>(frame, place.message + kLengthAt);
  const std::size_t behind = place.message + length;
  const std::size_t most = std::max(behind + (place.is_ipv6 ? kIpv6Padding : 0), kShortestFrame);
  const bool udp_fits = place.udp == 0 || load_be<std::uint16_t>(frame, place.udp + 4) <= 8 + length + kIpv6Padding;
  const bool of_clocks = place.type != PtpType::kSignaling && place.type != PtpType::kManagement;
  return of_clocks && length <= kLongest && frame_length >= behind && frame_length <= most && udp_fits;
}

void add_residence(std::span<std::byte> frame, const PtpPlace& place, Nanoseconds residence) noexcept {
  const std::size_t field = place.message + 8;
  const auto before = load_be<std::int64_t>(frame, field);
  std::int64_t scaled = 0;
  std::int64_t after = 0;
  if (__builtin_mul_overflow(residence.count(), std::int64_t{65536}, &scaled) ||
      __builtin_add_overflow(before, scaled, &after)) {
    after = std::numeric_limits<std::int64_t>::max();
  }
  store_be(frame, field, after);
  if (place.udp == 0) {
    return;
  }
  const auto checksum = load_be<std::uint16_t>(frame, place.udp + 6);
  if (checksum == 0 && !place.is_ipv6) {
    return;  // the sender left it out
  }
  const std::uint16_t now = mended(checksum, static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(after));
  store_be(frame, place.udp + 6, now == 0 ? std::uint16_t{0xffff} : now);
}

}  // namespace hilgate
