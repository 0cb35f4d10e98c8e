// SPDX-License-Identifier: GPL-2.0-only
// A NetworkSimulator that ns-3 answers, window by window.
//
// In paces with a clock a window's frames are known when it is over: they enter ns-3 one step later, each as long after
// the step's begin as it was captured after its window's, and every delay has that one step in it. In lockstep they
// enter in the window itself, as they were captured. Verdicts are in ns-3's time, which is the gateway's sim time.
#pragma once

#include <memory>

#include "clock/time.h"
#include "netsim_link/network_simulator.h"
#include "netsim_link/ns3/scenario.h"

namespace hilgate::ns3net {

// The whole of ns-3, as the rest of this program sees it: robots are put somewhere, frames enter, time passes, fates
// come out. One at a time, because ns-3's simulator is one.

class World {
 public:
  /// Throws std::runtime_error with file and key for what ns-3 does not have. What ns-3 itself refuses ends the program
  /// (see exit_message.h).
  explicit World(const Scenario& scenario);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  void use(const Scene& scene);
  /// The frame leaves its sender at `at`, which has not passed.
  void enter(const CapturedPacket& packet, SimTime at);
  /// Simulates up to `until` and adds what is known by then to the answer.
  void advance(SimTime until, NetworkAnswer& answer);
  [[nodiscard]] SimTime now() const;

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

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
