// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "netsim_link/netsim.h"
#include "netsim_link/network_simulator.h"

namespace hilgate {

/// Passes verdicts packet by packet from a Netsim's link states: our radio models as the network simulator of
/// somebody else's coordinator. It draws nothing at random; the coordinator flips the bits at the rates that it
/// receives.
class PacketNetsim final : public NetworkSimulator {
 public:
  PacketNetsim(Netsim& netsim, std::uint32_t robots) : netsim_(netsim), robots_(robots) {}

  void open(Listener listener) override;
  void begin(const NetworkQuestion& question) override;
  void close() override {}

 private:
  void decide(const CapturedPacket& packet, RobotIndex receiver, bool multicast);

  Netsim& netsim_;
  std::uint32_t robots_;
  Listener listener_;
  LinkTable table_;
  bool known_ = false;  // table_ is filled in; nothing is heard before there is a scene
  NetworkAnswer answer_;
};

}  // namespace hilgate
