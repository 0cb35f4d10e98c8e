// SPDX-License-Identifier: Apache-2.0
// What hostile simulators of ROS-NetSim and DANCERS write.
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "netsim_link/rosnetsim/rosnetsim_network.pb.h"
#include "physics_link/dancers/dancers.pb.h"
#include "physics_link/rosnetsim/rosnetsim_physics.pb.h"
#include "tests/fault/peers/hostile_simulator.h"
#include "tests/fault/peers/peer_fault.h"

namespace hilgate::test {

/// One gzip member.
std::string packed(std::string_view plain);

/// A simulator's place on a gateway that speaks one of these protocols to it.
struct ForeignSide {
  const char* protocol;  // "rosnetsim" or "dancers"
  Side side;

  [[nodiscard]] bool is_rosnetsim() const { return std::string_view(protocol) == "rosnetsim"; }
  /// The gateway connects to ROS-NetSim's simulators, and DANCERS' to the gateway.
  [[nodiscard]] bool listens() const { return is_rosnetsim(); }
  /// How it reads the gateway's questions. DANCERS' have no numbers.
  [[nodiscard]] std::optional<HostileSimulator::Begin> question(const std::string& body) const;

  // Whole frames. The kind is the protocols' own: 0 BEGIN, 1 END, and of DANCERS 2 CLOSE.
  [[nodiscard]] std::string message(int kind, std::uint64_t window) const;
  friend void PrintTo(const ForeignSide& foreign, std::ostream* out) { *out << foreign.protocol; }
  /// An answer without content, which is one that behaves.
  [[nodiscard]] std::string end(std::uint64_t window) const { return message(1, window); }
};

/// A frame with an END of this content.
std::string end_with(const wire::rosnetsim::ChannelData& channels, std::uint64_t window);
std::string end_with(wire::rosnetsim::NetworkUpdate& deliveries, std::uint64_t window);
std::string end_with(const wire::dancers::PoseVector& poses);

}  // namespace hilgate::test
