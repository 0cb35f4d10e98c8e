// SPDX-License-Identifier: Apache-2.0
// The real-world scene of a run, as `physics.scene` names it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "physics_link/buildings.h"
#include "physics_link/geo/geo_scene.h"
#include "physics_link/height_grid.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {

struct SceneConfig {
  std::optional<mavlink::Geodetic> origin;     // where x, y and z are 0
  bool has_altitude = false;                   // of the origin; else it counts as 0 m
  std::shared_ptr<const GeoScene> surveyed;    // as hilgate-place has read it; null without `scene`
  std::shared_ptr<const Buildings> buildings;  // null without any
  std::shared_ptr<const HeightGrid> ground;    // null without terrain
  double default_height_m = 0;                 // of the question
};

/// What it has, on one line, for people: buildings and where their heights come from, extent, terrain; empty without a
/// scene.
std::string text_of(const SceneConfig& scene);

}  // namespace hilgate
