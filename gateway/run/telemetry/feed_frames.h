// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/telemetry/heard_packet.h"

namespace hilgate {

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
