// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "config/units.h"
#include "physics_link/scene.h"
#include "rf_profiles/propagation/antenna_pattern.h"

namespace hilgate {

/// What the robot's body takes off in directions that it shadows, by the robot's own horizon, which turns with it. From
/// kBodyEdge below that horizon to kBodyEdge above it, the loss goes over from one to the other in proportion to the
/// sine of the elevation, so that a robot that flies level has no jumps. Does nothing where both are 0.
struct BodyLoss {
  Decibels lower{};  // not negative
  Decibels upper{};

  /// Towards a direction in the robot's frame, of any length but 0.
  [[nodiscard]] Decibels towards(const Vec3& direction) const;
  friend bool operator==(const BodyLoss&, const BodyLoss&) = default;
};
inline constexpr double kBodyEdge = 5 * 0.017453292519943295;  // rad

/// How an antenna is mounted on its robot, whose x is forwards, y to the left and z up.
struct AntennaMount {
  Vec3 offset{};          // from the robot's position in physics
  Quaternion rotation{};  // from the antenna's frame to the robot's
  BodyLoss body_loss{};
};

/// Where the antennas of a medium are, and what they gain towards each other along the straight line. Where physics
/// does not say how a robot is turned, its antenna counts as isotropic, its body as no obstacle and its mounting offset
/// as that of a robot that looks along x.
class Antennas {
 public:
  /// `pattern` must outlive this.
  void add(const AntennaPattern& pattern, const AntennaMount& mount);

  /// Some antenna is directional, by its pattern or its body.
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
    bool shadowed = false;  // by its body
    bool oriented = false;
    Quaternion into_frame{};  // from the world's frame to its own
    Quaternion into_body{};   // likewise to the robot's
  };
  [[nodiscard]] static Decibels towards(const Antenna& antenna, const Vec3& direction);

  std::vector<Antenna> antennas_;
  bool any_ = false;
};

}  // namespace hilgate
