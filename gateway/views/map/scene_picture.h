// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gateway/run/simulation/coverage.h"
#include "physics_link/scene.h"
#include "rf_profiles/survey/surveyed_floors.h"

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
