// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scene_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace hilgate {
namespace {

std::string extent_text(const std::vector<GeoBuilding>& buildings) {
  constexpr double kNowhere = std::numeric_limits<double>::infinity();
  GroundPoint low{kNowhere, kNowhere};
  GroundPoint high{-kNowhere, -kNowhere};
  for (const GeoBuilding& building : buildings) {
    for (const GroundPoint& point : building.rings.front()) {
      low = {std::min(low.x, point.x), std::min(low.y, point.y)};
      high = {std::max(high.x, point.x), std::max(high.y, point.y)};
    }
  }
  return fmt::format("from {:.0f}, {:.0f} m to {:.0f}, {:.0f} m", low.x, low.y, high.x, high.y);
}

std::string left_out_text(const GeoCounts& counts) {
  std::string text;
  const auto add = [&text](std::size_t number, const char* what) {
    if (number > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "; left out: " : ", ", number, what);
    }
  };
  add(counts.outside, "beyond the radius");
  add(counts.roofs, "roofs without walls or under the ground");
  add(counts.broken, "with broken outlines");
  return text;
}

std::string buildings_text(const SceneConfig& scene) {
  const GeoScene& surveyed = *scene.surveyed;
  const GeoCounts& counts = surveyed.counts;
  const std::size_t all = counts.by_height + counts.by_levels + counts.by_default;
  return fmt::format(
      "{} buildings {}; heights: {} given, {} by levels, {} default {:g} m; materials: {} given, {} "
      "default{}",
      all, extent_text(surveyed.buildings), counts.by_height, counts.by_levels, counts.by_default,
      scene.default_height_m, counts.with_material, all - counts.with_material, left_out_text(counts));
}

std::string terrain_text(const GeoTerrain& terrain) {
  const auto& [west_m, south_m, step_m, columns, rows] = terrain.layout;
  return fmt::format(
      "terrain of {} x {} heights each {:.3g} m, from {:.0f}, {:.0f} m to {:.0f}, {:.0f} m: {:.1f} to "
      "{:.1f} m above sea",
      columns, rows, step_m, west_m, south_m, west_m + step_m * static_cast<double>(columns - 1),
      south_m + step_m * static_cast<double>(rows - 1), terrain.lowest_m, terrain.highest_m);
}

}  // namespace

std::string text_of(const SceneConfig& scene) {
  std::string text;
  if (scene.buildings) {
    text = buildings_text(scene);
  }
  if (scene.ground) {
    text += (text.empty() ? "" : "; ") + terrain_text(*scene.surveyed->terrain);
  }
  return text;
}

}  // namespace hilgate
