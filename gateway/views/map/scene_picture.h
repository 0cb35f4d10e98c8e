// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
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

/// One entry for each cell. Throws std::runtime_error where the two radios cannot detect each other.
std::vector<CoverageCell> coverage_of(const CoverageQuestion& question, const CellGrid& grid);

}  // namespace hilgate

// A scene from above as a picture: metres to the east go right, metres to the north go up.

namespace hilgate {

struct PicturedBox {
  std::string name;
  Box box;
  std::string material;
};

struct PicturedBuilding {
  std::string name;
  std::vector<GroundRing> rings;
  double base_m = 0, top_m = 0;
  std::string material;
};

struct PicturedTrack {
  std::string name;
  std::vector<Vec3> waypoints;
  Vec3 place;  // where the robot is
};

struct PicturedPoint {
  std::string name;
  Vec3 place;
};

enum class CoverageValue : std::uint8_t { kSnr, kLoss };

struct PicturedCoverage {
  std::string title;  // what the colours are of
  CoverageValue value = CoverageValue::kSnr;
  std::vector<CoverageCell> cells;  // of ScenePicture::area
};

struct ScenePicture {
  std::string title;
  CellGrid area{};
  const GridMap* plan = nullptr;  // whose walls are drawn; null: none
  std::vector<PicturedBox> obstacles{};
  std::vector<PicturedBuilding> buildings{};
  std::vector<PicturedTrack> tracks{};
  std::vector<PicturedPoint> access_points{};
  std::optional<PicturedCoverage> coverage{};
};

/// A self-contained SVG picture.
std::string scene_svg(const ScenePicture& picture);

/// The grade of a cell, whose colour it has: 0 is best, kCoverageGrades - 1 is out of reach.
inline constexpr int kCoverageGrades = 7;
int coverage_grade(const CoverageCell& cell, CoverageValue value);

}  // namespace hilgate
