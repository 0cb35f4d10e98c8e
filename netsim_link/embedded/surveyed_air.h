// SPDX-License-Identifier: Apache-2.0
// The air in a surveyed building: walls and floors between two robots by a look into the database, and multipath that
// fades as fast as the shape factors of where they are let it.
//
// The level is that of a steady wave of the direct share of the power and a diffuse rest h, of mean power 1 together
// (Rice). h' = a h + sqrt(1 - a^2) CN(0, 1) with a = 2^(-n / 2) after n coherence distances: each end's own way, in its
// own direction. Statistics do not depend on the window. Robots outside the map are in free
// space, and are counted.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "config/units.h"
#include "physics_link/scene.h"
#include "rf_profiles/numeric/elementary.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

/// One end of a link and how it has moved since the last window.
struct SurveyedEnd {
  Vec3 position;
  double moved_m = 0;
  double heading_rad = 0;  // azimuth of the way
};

class SurveyedAir {
 public:
  SurveyedAir(std::shared_ptr<const SurveyedFloors> floors, Hertz frequency, std::size_t pairs, std::uint64_t seed);

  /// An end, prepared once for all its links.
  struct Place {
    std::optional<FloorPlace> place;  // nothing: outside the map
    double way = 0;                   // coherence distances per 255th of spread
    CirclePoint twice_heading;
  };
  [[nodiscard]] Place place_of(const SurveyedEnd& end) const;

  struct Query {
    std::uint32_t pair = 0;
    const Place* low = nullptr;
    const Place* high = nullptr;
  };
  /// Walls and fading (a gain) of at most PairBatch::kMost pairs. Several threads may ask for different pairs at the
  /// same time.
  void update(std::span<const Query> queries, std::span<double> walls_db, std::span<double> fading_db);

  struct Path {
    double walls_db = 0;
    double fading_db = 0;  // gain
  };
  /// Of one pair.
  Path update(std::size_t pair, const SurveyedEnd& low, const SurveyedEnd& high);

  /// Queries so far with an end outside the map.
  [[nodiscard]] std::uint64_t outside() const { return outside_; }

 private:
  /// The survey's last value, valid while both ends stay in their cells: the database is far larger than any cache.
  struct Known {
    std::uint32_t low_cell = ~0U;  // SurveyedFloors::number()
    std::uint32_t high_cell = ~0U;
    float walls_db = 0;
    ShapeEntry at_low;
    ShapeEntry at_high;
  };
  struct Diffuse {
    double in_phase = 0;
    double quadrature = 0;
    std::uint64_t draws = 0;
  };
  struct Columns;
  const Known& known(const Query& query);
  void fade(Columns& columns);

  std::shared_ptr<const SurveyedFloors> floors_;
  double per_m_;  // coherence distances of W = 1 in a metre
  std::uint64_t seed_;
  std::array<CirclePoint, 256> twice_azimuth_;  // by ShapeEntry::azimuth
  std::vector<Known> known_;                    // by pair
  std::vector<Diffuse> diffuse_;                // by pair
  std::uint64_t outside_ = 0;
};

}  // namespace hilgate
