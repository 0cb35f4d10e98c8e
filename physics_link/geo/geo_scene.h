// SPDX-License-Identifier: Apache-2.0
// A real-world scene: what hilgate-place reads from files of OpenStreetMap and of heights, and answers the gateway.
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "physics_link/height_grid.h"
#include "physics_link/mavlink/geodetic.h"
#include "physics_link/prism.h"

namespace hilgate {

/// Which part of the earth is the scene.
struct GeoQuestion {
  std::string osm;      // file; empty: no buildings
  std::string terrain;  // likewise, of heights; empty: the ground is z = 0
  mavlink::Geodetic origin;
  double radius_m = 10'000;     // the scene is the square whose edges are so far from the origin
  double default_height_m = 6;  // of buildings whose height is not in the file
  friend bool operator==(const GeoQuestion&, const GeoQuestion&) = default;
};

/// A building, or one of several outlines of it.
struct GeoBuilding {
  std::string name;  // "way 4711", "relation 42"
  std::vector<GroundRing> rings;
  double base_m = 0;
  double top_m = 0;
  std::string material;          // a built-in one
  std::optional<double> wall_m;  // as that of a Prism
  friend bool operator==(const GeoBuilding&, const GeoBuilding&) = default;
};

/// Where the values of the buildings come from.
struct GeoCounts {
  std::size_t by_height = 0;      // whose height is in the file
  std::size_t by_levels = 0;      // their levels alone
  std::size_t by_default = 0;     // neither
  std::size_t with_material = 0;  // whose building:material is known; the others are `building`
  std::size_t outside = 0;        // left out: beyond the radius
  std::size_t roofs = 0;          // left out: no walls, or below the ground
  std::size_t broken = 0;         // left out: outlines that are not closed, or cross themselves
  friend bool operator==(const GeoCounts&, const GeoCounts&) = default;
};

struct GeoTerrain {
  HeightGrid::Layout layout;
  std::vector<float> heights_m;  // as those of a HeightGrid
  double lowest_m = 0;           // above sea level
  double highest_m = 0;          // likewise
  friend bool operator==(const GeoTerrain&, const GeoTerrain&) = default;
};

struct GeoScene {
  std::vector<GeoBuilding> buildings;
  GeoCounts counts;
  std::optional<GeoTerrain> terrain;
  friend bool operator==(const GeoScene&, const GeoScene&) = default;
};

/// Why there is no answer, and by which key of the question: "osm", "terrain", "origin" or "radius".
class GeoFault : public std::runtime_error {
 public:
  GeoFault(std::string key, const std::string& text) : std::runtime_error(text), key_(std::move(key)) {}
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  std::string key_;
};

// Bounds of what a scene may have.
inline constexpr std::size_t kMostGeoBuildings = 100'000;
inline constexpr std::size_t kMostGeoPoints = 4'000'000;  // of all outlines together
inline constexpr std::size_t kMostGeoPosts = 4'000'000;   // of the grid of heights
inline constexpr double kMostGeoRadius = 100'000;         // m
inline constexpr double kLeastGeoRadius = 10;             // m

}  // namespace hilgate
