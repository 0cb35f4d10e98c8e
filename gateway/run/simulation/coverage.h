// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "netsim_link/embedded/antennas.h"
#include "physics_link/obstacles.h"
#include "physics_link/scene.h"
#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/propagation/material.h"
#include "rf_profiles/survey/surveyed_floors.h"

// Coverage of a transmitter, cell by cell: the means of the embedded radio models, without shadowing and fading.

namespace hilgate {

/// A rectangle of square cells on the ground, row by row from the south.
struct CellGrid {
  double west_m = 0, south_m = 0;
  double cell_m = 1;
  std::size_t columns = 0, rows = 0;

  [[nodiscard]] double east_m() const { return west_m + static_cast<double>(columns) * cell_m; }
  [[nodiscard]] double north_m() const { return south_m + static_cast<double>(rows) * cell_m; }
  [[nodiscard]] std::size_t size() const { return columns * rows; }
  /// The middle of a cell, at that height.
  [[nodiscard]] Vec3 middle(std::size_t cell, double height_m) const {
    const std::size_t row = cell / columns;
    return {west_m + (static_cast<double>(cell % columns) + 0.5) * cell_m,
            south_m + (static_cast<double>(row) + 0.5) * cell_m, height_m};
  }
};

struct CoverageCell {
  bool reachable = false;
  bool line_of_sight = true;
  double snr_db = 0;
  double frame_loss = 1;  // of one try of a full frame, as `hilgate status` has it
};

/// The transmitter, the receiver, and the obstacles between them.
struct CoverageQuestion {
  std::shared_ptr<const RadioProfile> sender;
  Pose from;
  AntennaMount mount{};
  std::shared_ptr<const RadioProfile> receiver{};
  double height_m = 1;  // of the receiver
  Obstacles obstacles{};
  std::vector<Material> materials{};
  std::shared_ptr<const SurveyedFloors> floors{};  // null: none
};

/// One entry for each cell; fewer where `goes_on`, asked before each, is false. Throws std::runtime_error where the two
/// radios cannot detect each other.
std::vector<CoverageCell> coverage_of(
    const CoverageQuestion& question, const CellGrid& grid, const std::function<bool()>& goes_on = [] { return true; });

}  // namespace hilgate
