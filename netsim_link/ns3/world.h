// SPDX-License-Identifier: GPL-2.0-only
// The whole of ns-3, as the rest of this program sees it: robots are put somewhere, frames enter, time passes, fates
// come out. One at a time, because ns-3's simulator is one.
#pragma once

#include <memory>

#include "clock/time.h"
#include "netsim_link/network_simulator.h"
#include "netsim_link/ns3/scenario.h"

namespace hilgate::ns3net {

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

}  // namespace hilgate::ns3net
