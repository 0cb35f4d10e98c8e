// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/heard_packet.h"

#include <algorithm>

#include "frame/headers.h"
#include "frame/serial_frame.h"
#include "host/byte_cursor.h"

namespace hilgate {
namespace {

constexpr std::size_t kTcpHeader = 20;

bool has(const RobotConfig& robot, MacAddress mac) {
  return std::find(robot.macs.begin(), robot.macs.end(), mac) != robot.macs.end();
}

}  // namespace

std::optional<HeardPacket> read_overheard(std::span<const std::byte> head) {
  const auto ethernet = parse_ethernet(head);
  if (ethernet && ethernet->type == kLineStream) {
    return HeardPacket{.ends = {.from_mac = ethernet->source, .to_mac = ethernet->destination, .from = {}, .to = {}},
                       .in_stream = true,
                       .on_line = true,
                       .data = head.subspan(ethernet->payload)};
  }
  const auto ip = ethernet ? parse_ip(head, *ethernet) : std::nullopt;
  if (!ip || (ip->protocol != IpProtocol::kUdp && ip->protocol != IpProtocol::kTcp) ||
      head.size() < ip->payload + kUdpHeader) {
    return std::nullopt;
  }
  const bool tcp = ip->protocol == IpProtocol::kTcp;
  if (tcp && head.size() < ip->payload + kTcpHeader) {
    return std::nullopt;
  }
  const std::size_t header = tcp ? 4 * std::to_integer<std::size_t>(head[ip->payload + 12] >> 4) : kUdpHeader;
  const std::size_t end = std::min<std::size_t>(ip->end, head.size());
  const std::size_t start = std::min(ip->payload + header, end);
  return HeardPacket{.ends = {.from_mac = ethernet->source,
                              .to_mac = ethernet->destination,
                              .from = ip->source,
                              .to = ip->destination,
                              .from_port = load_be<std::uint16_t>(head.data() + ip->payload),
                              .to_port = load_be<std::uint16_t>(head.data() + ip->payload + 2)},
                     .in_stream = tcp,
                     .tagged = ethernet->payload != kEthernetHeader,
                     .data = head.subspan(start, end - start)};
}

std::optional<RobotIndex> HeardRobots::sender(PortIndex port, MacAddress from) {
  const auto& robots = configuration_.robots;
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    if (robots[i].port != port) {
      continue;
    }
    if (has(robots[i], from)) {
      return RobotIndex{i};
    }
    if (robots[i].macs.empty()) {
      if (learned_.size() < kLearned) {
        learned_.insert_or_assign(from, robots[i].name);
      }
      return RobotIndex{i};
    }
  }
  return std::nullopt;
}

std::optional<RobotIndex> HeardRobots::owner(MacAddress mac) const {
  const auto& robots = configuration_.robots;
  const auto learned = learned_.find(mac);
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    if (has(robots[i], mac) || (learned != learned_.end() && learned->second == robots[i].name)) {
      return RobotIndex{i};
    }
  }
  return std::nullopt;
}

}  // namespace hilgate
