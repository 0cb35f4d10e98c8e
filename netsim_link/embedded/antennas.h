// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "config/units.h"
#include "physics_link/scene.h"
#include "rf_profiles/propagation/antenna_pattern.h"

namespace hilgate {

/// How an antenna is mounted on its robot, whose x is forwards, y to the left and z up.
struct AntennaMount {
  Vec3 offset{};          // from the robot's position in physics
  Quaternion rotation{};  // from the antenna's frame to the robot's
};

/// Where the antennas of a medium are, and what they gain towards each other along the straight line. Where physics
/// does not say how a robot is turned, its antenna counts as isotropic and its mounting offset as that of a robot
/// that looks along x.
class Antennas {
 public:
  /// `pattern` must outlive this.
  void add(const AntennaPattern& pattern, const AntennaMount& mount);

  /// Some antenna is directional.
  [[nodiscard]] bool any() const { return any_; }
  /// The robot of antenna `i` is at `pose` now; where the antenna is.
  Vec3 place(std::size_t i, const Pose& pose);
  /// Sum of both antennas, a and b, at these positions.
  [[nodiscard]] Decibels gain(std::size_t a, const Vec3& at_a, std::size_t b, const Vec3& at_b) const;
  /// Directional, with an unknown orientation.
  [[nodiscard]] bool blind(std::size_t i) const;

 private:
  struct Antenna {
    const AntennaPattern* pattern = nullptr;
    AntennaMount mount{};
    bool directional = false;
    bool oriented = false;
    Quaternion into_frame{};  // from the world's frame to its own
  };
  [[nodiscard]] static Decibels towards(const Antenna& antenna, const Vec3& direction);

  std::vector<Antenna> antennas_;
  bool any_ = false;
};

}  // namespace hilgate
