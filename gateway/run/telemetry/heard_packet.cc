// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/heard_packet.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>

#include "frame/checksum.h"
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

namespace {

constexpr std::size_t kShortestFrame = 60;
constexpr std::uint8_t kTtl = 64;

class FrameWriter {
 public:
  void u8(unsigned value) { bytes_.push_back(static_cast<std::byte>(value & 0xFF)); }
  void be16(std::size_t value) {
    u8(static_cast<unsigned>(value >> 8));
    u8(static_cast<unsigned>(value));
  }
  void mac(MacAddress address) {
    for (int shift = 40; shift >= 0; shift -= 8) {
      u8(static_cast<unsigned>(address.value() >> shift));
    }
  }
  void ip(const IpAddress& address) {
    if (address.is_v4()) {
      be16(address.v4() >> 16);
      be16(address.v4() & 0xFFFF);
      return;
    }
    const std::array words{address.high(), address.low()};  // in memory order
    const auto raw = std::as_bytes(std::span(words));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void text(std::string_view data) {
    const auto raw = std::as_bytes(std::span(data));
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void put16(std::size_t at, std::uint16_t value) {
    bytes_[at] = static_cast<std::byte>(value >> 8);
    bytes_[at + 1] = static_cast<std::byte>(value & 0xFF);
  }
  [[nodiscard]] std::span<const std::byte> from(std::size_t at) const { return std::span(bytes_).subspan(at); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

void write_ipv4(FrameWriter& frame, const UdpEnds& ends, std::size_t udp_length) {
  const std::size_t start = frame.size();
  frame.u8(0x45);
  frame.u8(0);
  frame.be16(20 + udp_length);
  frame.be16(0);       // identification: never fragmented
  frame.be16(0x4000);  // don't fragment
  frame.u8(kTtl);
  frame.u8(static_cast<unsigned>(IpProtocol::kUdp));
  frame.be16(0);
  frame.ip(ends.from);
  frame.ip(ends.to);
  frame.put16(start + 10, internet_checksum(internet_sum(frame.from(start))));
}

void write_ipv6(FrameWriter& frame, const UdpEnds& ends, std::size_t udp_length) {
  frame.be16(0x6000);
  frame.be16(0);
  frame.be16(udp_length);
  frame.u8(static_cast<unsigned>(IpProtocol::kUdp));
  frame.u8(kTtl);
  frame.ip(ends.from);
  frame.ip(ends.to);
}

}  // namespace

std::vector<std::byte> udp_frame(const UdpEnds& ends, std::string_view data) {
  assert(data.size() <= kMostUdpData && ends.from.is_v4() == ends.to.is_v4());
  const bool v4 = ends.to.is_v4();
  const std::size_t udp_length = kUdpHeader + data.size();
  FrameWriter frame;
  frame.mac(ends.to_mac);
  frame.mac(ends.from_mac);
  frame.be16(static_cast<std::size_t>(v4 ? EtherType::kIpv4 : EtherType::kIpv6));
  v4 ? write_ipv4(frame, ends, udp_length) : write_ipv6(frame, ends, udp_length);
  const std::size_t udp = frame.size();
  const std::size_t addresses = udp - (v4 ? 8 : 32);  // both, for the pseudo header (RFC 768, RFC 8200 8.1)
  frame.be16(ends.from_port);
  frame.be16(ends.to_port);
  frame.be16(udp_length);
  frame.be16(0);
  frame.text(data);
  const auto sum = internet_checksum(internet_sum(frame.from(addresses)) + static_cast<std::uint32_t>(udp_length) +
                                     static_cast<std::uint32_t>(IpProtocol::kUdp));
  frame.put16(udp + 6, sum == 0 ? 0xFFFF : sum);
  while (frame.size() < kShortestFrame) {
    frame.u8(0);
  }
  return frame.take();
}

}  // namespace hilgate
