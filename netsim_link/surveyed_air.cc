// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/surveyed_air.h"

#include <algorithm>
#include <cmath>

#include "rf_profiles/decibel.h"
#include "rf_profiles/normal.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kStreamSalt = 0x73'75'72'76'65'79'00'00;  // "survey"
constexpr double kLeastPower = 1e-10;

/// Coherence distances that an end has gone through.
double coherence_distances(const SurveyedEnd& end, const LocalShape& local, double wavelength_m) {
  const double distance_m = wavelength_m * coherence_distance(local.shape, end.heading_rad);
  return std::isfinite(distance_m) && distance_m > 0 ? end.moved_m / distance_m : 0;
}

}  // namespace

SurveyedAir::SurveyedAir(std::shared_ptr<const Survey> survey, double frequency_hz, std::size_t pairs,
                         std::uint64_t seed)
    : survey_(std::move(survey)),
      wavelength_m_(kLightSpeed / frequency_hz),
      seed_(seed ^ kStreamSalt),
      diffuse_(pairs) {}

SurveyedAir::Path SurveyedAir::update(std::size_t pair, const SurveyedEnd& low, const SurveyedEnd& high) {
  const auto a = survey_->map().cell_at(low.position.x, low.position.y);
  const auto b = survey_->map().cell_at(high.position.x, high.position.y);
  if (!a || !b) {
    ++outside_;
    return {};
  }
  const LocalShape at_low = survey_->shape(*a, *b);
  const LocalShape at_high = survey_->shape(*b, *a);
  const double way =
      coherence_distances(low, at_low, wavelength_m_) + coherence_distances(high, at_high, wavelength_m_);
  return {survey_->walls_db(*a, *b), fade(pair, way, (at_low.direct_share + at_high.direct_share) / 2)};
}

double SurveyedAir::fade(std::size_t pair, double coherence_distances, double direct_share) {
  Diffuse& diffuse = diffuse_[pair];
  if (diffuse.draws == 0 || coherence_distances > 0) {
    FrameRandom random(seed_, static_cast<std::uint32_t>(pair), diffuse.draws);
    const double keep = diffuse.draws == 0 ? 0 : std::exp2(-coherence_distances / 2);
    const double in_phase = draw_normal(random);
    const double quadrature = draw_normal(random);
    diffuse.gain = keep * diffuse.gain + std::sqrt((1 - keep * keep) / 2) * std::complex(in_phase, quadrature);
    ++diffuse.draws;
  }
  const double power = std::norm(std::sqrt(direct_share) + std::sqrt(1 - direct_share) * diffuse.gain);
  return db_of(std::max(power, kLeastPower));
}

}  // namespace hilgate
