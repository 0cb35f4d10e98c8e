// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/address.h"
#include "gateway/configuration/configuration.h"
#include "path/settings/tap.h"

namespace hilgate {

/// Both ends of a datagram; the addresses are of one family.
struct UdpEnds {
  MacAddress from_mac, to_mac;
  IpAddress from, to;
  std::uint16_t from_port = 0, to_port = 0;

  [[nodiscard]] UdpEnds reversed() const { return {to_mac, from_mac, to, from, to_port, from_port}; }
  friend auto operator<=>(const UdpEnds&, const UdpEnds&) = default;
};

/// The most data that fits a frame of 1514 bytes.
inline constexpr std::size_t kMostUdpData = 1514 - 14 - 40 - 8;

/// An Ethernet frame without FCS with the datagram, padded to 60 bytes, with all lengths and checksums. Requires data
/// of at most kMostUdpData bytes.
std::vector<std::byte> udp_frame(const UdpEnds& ends, std::string_view data);

/// What an overheard frame carries, and its ends.
struct HeardPacket {
  UdpEnds ends;            // of UDP, or of TCP
  bool in_stream = false;  // TCP, or a serial line
  bool on_line = false;    // of a serial line, without addresses
  bool tagged = false;     // with a VLAN
  std::span<const std::byte> data;
};
/// Empty for what is no UDP, no TCP and of no serial line.
std::optional<HeardPacket> read_overheard(std::span<const std::byte> head);

/// Maps addresses to robots, by the frames seen so far. Robots without configured MAC addresses are alone on their
/// ports and are known by what they send.
class HeardRobots {
 public:
  explicit HeardRobots(const Configuration& configuration) : configuration_(configuration) {}

  /// The sender of a frame; empty when it belongs to no robot.
  std::optional<RobotIndex> sender(PortIndex port, MacAddress from);
  [[nodiscard]] std::optional<RobotIndex> owner(MacAddress mac) const;

 private:
  static constexpr std::size_t kLearned = 4096;
  const Configuration& configuration_;
  std::map<MacAddress, std::string> learned_;  // robots' names: they outlive changes of the configuration
};

/// Locally administered, and no robot's: source of the gateway's own frames that do not stand for a robot's.
inline constexpr MacAddress kFeedMac{0x0268'67FF'FFFE};

/// A datagram of a feed to a robot as an Ethernet frame.
inline std::vector<std::byte> feed_frame(const RobotConfig& robot, const RobotFeedConfig& feed, std::string_view data) {
  return udp_frame({.from_mac = kFeedMac,
                    .to_mac = robot.macs.front(),
                    .from = feed.from,
                    .to = feed.to,
                    .from_port = feed.port,
                    .to_port = feed.port},
                   data);
}

}  // namespace hilgate
