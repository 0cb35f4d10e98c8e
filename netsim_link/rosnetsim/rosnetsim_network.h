// SPDX-License-Identifier: Apache-2.0
// ROS-NetSim's message on the network side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "frame/id.h"
#include "physics_link/connection/protocol_fault.h"

namespace hilgate::rosnetsim {

/// A packet as ROS-NetSim names it; all three numbers together are the key.
struct PacketKey {
  std::uint32_t id = 0;
  std::uint32_t src_ip = 0;  // 192.168.0.1 is 0xC0A80001
  std::uint32_t dst_ip = 0;
  friend auto operator<=>(const PacketKey&, const PacketKey&) = default;
};

struct Offered {  // BEGIN
  PacketKey key{};
  std::uint32_t length = 0;                   // bytes of the IP packet
  std::optional<std::int64_t> captured_ns{};  // extension
};

struct Delivered {  // END
  PacketKey key{};
  std::uint32_t rx_ip = 0;
  double ber = 0;                            // 0 intact; in (0, 1) flip bits; anything else is a drop
  std::optional<std::int64_t> release_ns{};  // extension; without: release now
};

struct NetworkUpdate {
  bool end = false;
  std::uint32_t window = 0;
  std::string channel_data{};  // gzip of ChannelData; empty: none
  std::vector<Offered> offered{};
  std::vector<Delivered> delivered{};
  std::vector<PacketKey> cleared{};
};

/// The serialised message, without gzip and frame. `extensions`: with our nanosecond fields.
void encode(const NetworkUpdate& update, bool extensions, std::string& plain);

/// Lists of unequal length are a fault of kUnequalArrays, with their common prefix in `update`. The lists of a
/// BEGIN are read as offers, those of an END as deliveries.
[[nodiscard]] MaybeFault decode(std::string_view plain, NetworkUpdate& update);

inline constexpr std::uint32_t kBroadcast = 0xFFFFFFFF;  // the reference's broadcast_address

/// "192.168.0.1" of 0xC0A80001.
std::string dotted(std::uint32_t address);

/// The robots' IPv4 addresses, by which ROS-NetSim knows them; in host byte order.
class Addresses {
 public:
  explicit Addresses(std::vector<std::uint32_t> by_robot);

  [[nodiscard]] std::optional<RobotIndex> robot_of(std::uint32_t address) const;
  /// 0 for an invalid index.
  [[nodiscard]] std::uint32_t of(RobotIndex robot) const { return knows(robot) ? by_robot_[robot.value()] : 0; }
  [[nodiscard]] bool knows(RobotIndex robot) const { return robot.value() < by_robot_.size(); }
  [[nodiscard]] std::size_t robots() const { return by_robot_.size(); }
  /// The address if it is a robot's, else that of `robot`.
  [[nodiscard]] std::uint32_t known(std::uint32_t address, RobotIndex robot) const {
    return robot_of(address) ? address : of(robot);
  }
  /// For people: "192.168.0.1, 192.168.0.2"; of many the first few.
  [[nodiscard]] std::string text() const;

 private:
  std::vector<std::uint32_t> by_robot_;
  std::unordered_map<std::uint32_t, RobotIndex> robots_;
};

/// All robots: the broadcast address, or a multicast group.
constexpr bool is_group(std::uint32_t address) {
  return address >= 0xE000'0000 && (address < 0xF000'0000 || address == kBroadcast);
}

}  // namespace hilgate::rosnetsim
