// SPDX-License-Identifier: GPL-2.0-only
// A NetworkSimulator that ns-3 answers, window by window.
//
// In paces with a clock a window's frames are known when it is over: they enter ns-3 one step later, each as long after
// the step's begin as it was captured after its window's, and every delay has that one step in it. In lockstep they
// enter in the window itself, as they were captured. Verdicts are in ns-3's time, which is the gateway's sim time.
#pragma once

#include "netsim_link/network_simulator.h"
#include "netsim_link/ns3/world.h"

namespace hilgate::ns3net {

class Ns3Network final : public NetworkSimulator {
 public:
  /// `world` must outlive it and have `robots` robots.
  Ns3Network(World& world, std::size_t robots) : world_(world), robots_(robots) {}

  void open(Listener listener) override;
  void begin(const NetworkQuestion& question) override;
  void close() override {}

 private:
  bool enter(const CapturedPacket& packet, const Step& step);

  World& world_;
  std::size_t robots_;
  Listener listener_;
  NetworkAnswer answer_;
};

}  // namespace hilgate::ns3net
