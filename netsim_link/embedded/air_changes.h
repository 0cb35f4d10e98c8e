// SPDX-License-Identifier: Apache-2.0
// Settings of the air that may change at any time; radios keep their shadowing and fading.
#pragma once

#include <vector>

#include "clock/time.h"
#include "config/units.h"
#include "physics_link/obstacles.h"
#include "physics_link/scene.h"

namespace hilgate {

/// A transmitter of noise, evenly over its band and in all directions.
struct Jammer {
  Vec3 position;
  Dbm power{};                    // equivalent isotropic
  Hertz frequency{};              // the middle of its band
  Hertz bandwidth{};              // above 0
  double duty = 1;                // (0, 1]: on for the first so much of each period of sim time
  Nanoseconds period{1'000'000};  // above 0

  [[nodiscard]] bool is_on(SimTime at) const;
  /// Of its power, what falls into a band; 0 without overlap.
  [[nodiscard]] double share_in(Hertz middle, Hertz width) const;
};

struct AirChanges {
  std::vector<Jammer> jammers{};
  Obstacles obstacles{};  // between jammers and radios
  /// By LinkIndex of robots, dB; no number where the models decide. It stands for everything between the antennas'
  /// connectors but their gains: path loss, walls, shadowing, fading, antenna patterns. Empty: none.
  std::vector<double> path_loss_db{};
};

}  // namespace hilgate
