// SPDX-License-Identifier: Apache-2.0
// Floors of a building, one above the other, each with a map and a survey of its own. They are a YAML file:
//
//   slab: 15 dB                       what a ray loses from one floor to the next
//   floors:                           the lowest first
//     - {map: ground.yaml, from: 0m}  its ground above z = 0
//     - {map: offices.yaml, from: 3.2m}
//
// Between two floors the straight line is taken as if all were equally high and both ends halfway up: of n slabs it
// meets the k-th after (k - 1/2) / n of its way. On each floor the walls of its part count, one by one, and every slab.
// Multipath is that of the receiver's floor, as from a sender directly above or below the true one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "rf_profiles/survey/survey.h"

namespace hilgate {

/// A position on one of the floors.
struct FloorPlace {
  std::uint32_t floor = 0;
  GridCell cell;
};

/// For queries. Thread-safe.
class SurveyedFloors {
 public:
  struct Floor {
    std::shared_ptr<const Survey> survey;
    double from_m = 0;  // of its ground
  };
  /// At least one, from below.
  SurveyedFloors(std::vector<Floor> floors, double slab_db);
  /// A building of one floor, however high.
  explicit SurveyedFloors(std::shared_ptr<const Survey> only) : SurveyedFloors({{std::move(only)}}, 0) {}

  /// The highest floor whose ground is not above z, else the lowest.
  [[nodiscard]] std::uint32_t floor_at(double z_m) const;
  /// On that floor; nothing outside its map.
  [[nodiscard]] std::optional<FloorPlace> place_at(double x_m, double y_m, double z_m) const;
  /// Distinguishes positions.
  [[nodiscard]] std::uint32_t number(const FloorPlace& place) const {
    return first_[place.floor] + map(place.floor).index(place.cell);
  }
  /// Of walls and slabs. Both directions agree.
  [[nodiscard]] double loss_db(const FloorPlace& a, const FloorPlace& b) const;
  [[nodiscard]] ShapeEntry shape_entry(const FloorPlace& receiver, const FloorPlace& sender) const;
  [[nodiscard]] const GridMap& map(std::size_t floor) const { return floors_[floor].survey->map(); }
  [[nodiscard]] std::size_t count() const { return floors_.size(); }
  /// Where the floor's ground is above z = 0.
  [[nodiscard]] double from_m(std::size_t floor) const { return floors_[floor].from_m; }

 private:
  struct Point {
    double x_m;
    double y_m;
  };
  [[nodiscard]] Point middle(const FloorPlace& place) const;
  [[nodiscard]] double walls_db(std::size_t floor, const Point& a, const Point& b) const;

  std::vector<Floor> floors_;
  std::vector<std::uint32_t> first_;  // number of each floor's first cell
  double slab_db_;
};

/// The maps that a file names: itself, or those of its floors, each once. Throws ConfigError.
std::vector<std::string> maps_of(const std::string& file);

/// The files that it names: its picture, or the maps of its floors. Throws ConfigError for what is no YAML.
std::vector<FileReference> map_references(const std::string& file);

/// Of a map with its survey, or of floors. Throws ConfigError or std::runtime_error, with the command to run.
std::shared_ptr<const SurveyedFloors> open_floors(const std::string& file);

}  // namespace hilgate
