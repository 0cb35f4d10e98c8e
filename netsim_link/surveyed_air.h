// SPDX-License-Identifier: Apache-2.0
// The air in a surveyed building: walls between two robots by one look into the database, and multipath that fades as
// fast as the shape factors of where they are let it.
//
// The level is that of a steady wave of the direct share of the power and a diffuse rest h, of mean power 1 together
// (Rice). h' = a h + sqrt(1 - a^2) CN(0, 1) with a = 2^(-n / 2) after n coherence distances (radio-models 7.2): each
// end's own way, in its own direction. Statistics do not depend on the window. Robots outside the map are in free
// space, and are counted.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "physics_link/scene.h"
#include "rf_profiles/survey.h"

namespace hilgate {

/// One end of a link and how it has moved since the last window.
struct SurveyedEnd {
  Vec3 position;
  double moved_m = 0;
  double heading_rad = 0;  // azimuth of the way
};

class SurveyedAir {
 public:
  SurveyedAir(std::shared_ptr<const Survey> survey, double frequency_hz, std::size_t pairs, std::uint64_t seed);

  struct Path {
    double walls_db = 0;
    double fading_db = 0;  // gain
  };
  Path update(std::size_t pair, const SurveyedEnd& low, const SurveyedEnd& high);

  /// Queries so far with an end outside the map.
  [[nodiscard]] std::uint64_t outside() const { return outside_; }

 private:
  struct Diffuse {
    std::complex<double> gain;
    std::uint64_t draws = 0;
  };
  double fade(std::size_t pair, double coherence_distances, double direct_share);

  std::shared_ptr<const Survey> survey_;
  double wavelength_m_;
  std::uint64_t seed_;
  std::vector<Diffuse> diffuse_;
  std::uint64_t outside_ = 0;
};

}  // namespace hilgate
