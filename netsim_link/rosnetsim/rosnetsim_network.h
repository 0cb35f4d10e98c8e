// SPDX-License-Identifier: Apache-2.0
// ROS-NetSim's message on the network side.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace hilgate::rosnetsim
