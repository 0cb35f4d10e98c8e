// SPDX-License-Identifier: Apache-2.0
// Announcements of DDS participants, of which processes of ROS 2 have one each: RTPS 2.5 (OMG formal/22-04-01), 8.5.3
// and 9.6.2.2.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "clock/time.h"

namespace hilgate {

/// What a participant announces about itself. Texts are printable and at most kText long.
struct DdsAnnouncement {
  static constexpr std::size_t kText = 64;
  using Prefix = std::array<std::uint8_t, 12>;

  Prefix prefix{};  // who it is
  bool leaves = false;
  std::uint16_t vendor = 0;
  std::string name{};     // entity name; may be empty, as what follows
  std::string process{};  // of Cyclone DDS's properties
  std::string host{};     // likewise
  std::optional<Nanoseconds> lease{};
};

/// Whether a datagram is RTPS.
bool is_rtps(std::span<const std::byte> datagram);

/// The announcement in a datagram; empty when it has none that can be read. A datagram that was cut may have one.
std::optional<DdsAnnouncement> read_dds_announcement(std::span<const std::byte> datagram);

/// "Cyclone DDS"; "vendor 01.7F" for one without a name here.
std::string dds_vendor_name(std::uint16_t vendor);

}  // namespace hilgate
