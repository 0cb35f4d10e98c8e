// SPDX-License-Identifier: Apache-2.0
// Robots on the move for `hilgate bench links`, in the open and on a surveyed floor.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "physics_link/scene.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

/// A rectangle on the ground, m.
struct BenchField {
  double x_m = 0;
  double y_m = 0;
  double width_m = 1000;
  double height_m = 1000;
};

/// Robots all over a field, each on a straight way of its own at 5 m/s until the edge turns it back.
class BenchFleet {
 public:
  /// `walled`: every fifth pair is out of sight, behind one wall of the material 0.
  BenchFleet(std::size_t robots, const BenchField& field, bool walled, Nanoseconds window = Nanoseconds{1'000'000});

  /// The scene one window later.
  const Scene& step();

 private:
  BenchField field_;
  Nanoseconds window_;
  std::vector<Vec3> steps_;  // per window
  Scene scene_;
};

/// A surveyed floor of rooms with doors, `cells` of 0.5 m along a side, made anew; its file is gone at once.
std::shared_ptr<const Survey> survey_of_rooms(std::uint32_t cells);

/// Where the map lies.
BenchField field_of(const GridMap& map);

}  // namespace hilgate
