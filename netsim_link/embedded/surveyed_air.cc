// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/surveyed_air.h"

#include <atomic>
#include <cassert>
#include <cmath>
#include <complex>
#include <numbers>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/numeric/vector_code.h"
#include "rf_profiles/propagation/pair_batch.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kStreamSalt = 0x73'75'72'76'65'79'00'00;  // "survey"
constexpr double kLeastPower = 1e-10;
constexpr double kWhole = 255;  // of ShapeEntry's parts

}  // namespace

/// The pairs of one update that are on the map.
struct SurveyedAir::Columns {
  std::size_t size = 0;
  PairBatch::Column<std::uint32_t> at;  // index in the update
  PairBatch::Column<std::uint32_t> pair;
  PairBatch::Numbers way;  // coherence distances
  PairBatch::Numbers direct_share;
  PairBatch::Numbers in_phase, quadrature;  // of the diffuse rest
  PairBatch::Numbers fresh_in_phase, fresh_quadrature;
  PairBatch::Numbers gain_db;

  /// Of either end: coherence distances in its fastest direction, and 1 + gamma cos 2 (heading - Theta).
  PairBatch::Numbers low_way, low_directed, high_way, high_directed;

  HILGATE_VECTOR_CODE void add_ways();
  HILGATE_VECTOR_CODE void compute();
};

/// W = Lambda^2 (1 + gamma cos 2 (heading - Theta)) as in fading_rate_factor(); its root times the way.
void SurveyedAir::Columns::add_ways() {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    const double low = low_directed[i] > 0 ? low_directed[i] : 0;
    const double high = high_directed[i] > 0 ? high_directed[i] : 0;
    way[i] = low_way[i] * std::sqrt(low) + high_way[i] * std::sqrt(high);
  }
}

/// A way of 0 keeps the diffuse rest as it is, whatever the fresh draw; an infinite one leaves nothing of it.
void SurveyedAir::Columns::compute() {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    const double keep = way[i] < 1000 ? power_of_two(-way[i] / 2) : 0;
    const double renew = std::sqrt(1 - keep * keep);
    in_phase[i] = keep * in_phase[i] + renew * fresh_in_phase[i];
    quadrature[i] = keep * quadrature[i] + renew * fresh_quadrature[i];
    const double diffuse = std::sqrt(1 - direct_share[i]);
    const double along = std::sqrt(direct_share[i]) + diffuse * in_phase[i];
    const double across = diffuse * quadrature[i];
    const double power = along * along + across * across;
    gain_db[i] = db_of(power > kLeastPower ? power : kLeastPower);
  }
}

SurveyedAir::SurveyedAir(std::shared_ptr<const SurveyedFloors> floors, Hertz frequency, std::size_t pairs,
                         std::uint64_t seed)
    : floors_(std::move(floors)),
      per_m_(frequency.value / kLightSpeed / coherence_distance({1, 0, 0}, 0)),
      seed_(seed ^ kStreamSalt),
      known_(pairs),
      diffuse_(pairs) {
  for (std::size_t i = 0; i < twice_azimuth_.size(); ++i) {
    twice_azimuth_[i] = circle_at(static_cast<double>(i) / static_cast<double>(twice_azimuth_.size()));
  }
}

SurveyedAir::Place SurveyedAir::place_of(const SurveyedEnd& end) const {
  return {floors_->place_at(end.position.x, end.position.y, end.position.z), end.moved_m * per_m_ / kWhole,
          circle_at(end.heading_rad / std::numbers::pi)};
}

void SurveyedAir::update(std::span<const Query> queries, std::span<double> walls_db, std::span<double> fading_db) {
  assert(queries.size() <= PairBatch::kMost);
  const auto directed = [this](const Place& end, const ShapeEntry& local) {
    const CirclePoint& axis = twice_azimuth_[local.azimuth];  // the cosine of the difference by those of both
    return 1 +
           local.constriction / kWhole * (end.twice_heading.cosine * axis.cosine + end.twice_heading.sine * axis.sine);
  };
  Columns columns;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Query& query = queries[i];
    if (!query.low->place || !query.high->place) {
      std::atomic_ref(outside_).fetch_add(1, std::memory_order_relaxed);
      walls_db[i] = fading_db[i] = 0;
      continue;
    }
    const Known& known = this->known(query);
    walls_db[i] = known.walls_db;
    const std::size_t n = columns.size++;
    columns.at[n] = static_cast<std::uint32_t>(i);
    columns.pair[n] = query.pair;
    columns.low_way[n] = query.low->way * known.at_low.spread;
    columns.low_directed[n] = directed(*query.low, known.at_low);
    columns.high_way[n] = query.high->way * known.at_high.spread;
    columns.high_directed[n] = directed(*query.high, known.at_high);
    columns.direct_share[n] = (known.at_low.direct_share + known.at_high.direct_share) / (2 * kWhole);
  }
  columns.add_ways();
  fade(columns);
  for (std::size_t n = 0; n < columns.size; ++n) {
    fading_db[columns.at[n]] = columns.gain_db[n];
  }
}

SurveyedAir::Path SurveyedAir::update(std::size_t pair, const SurveyedEnd& low, const SurveyedEnd& high) {
  const Place at_low = place_of(low);
  const Place at_high = place_of(high);
  const Query query{static_cast<std::uint32_t>(pair), &at_low, &at_high};
  Path path;
  update(std::span(&query, 1), std::span(&path.walls_db, 1), std::span(&path.fading_db, 1));
  return path;
}

const SurveyedAir::Known& SurveyedAir::known(const Query& query) {
  const FloorPlace& low = *query.low->place;
  const FloorPlace& high = *query.high->place;
  const std::uint32_t low_cell = floors_->number(low);
  const std::uint32_t high_cell = floors_->number(high);
  Known& known = known_[query.pair];
  if (known.low_cell != low_cell || known.high_cell != high_cell) {
    known = {low_cell, high_cell, static_cast<float>(floors_->loss_db(low, high)), floors_->shape_entry(low, high),
             floors_->shape_entry(high, low)};
  }
  return known;
}

void SurveyedAir::fade(Columns& columns) {
  std::array<DrawPlace, PairBatch::kMost> places;
  std::array<std::uint32_t, PairBatch::kMost> moving;
  std::size_t draws = 0;
  for (std::size_t n = 0; n < columns.size; ++n) {
    Diffuse& diffuse = diffuse_[columns.pair[n]];
    columns.in_phase[n] = diffuse.in_phase;
    columns.quadrature[n] = diffuse.quadrature;
    columns.fresh_in_phase[n] = columns.fresh_quadrature[n] = 0;
    if (diffuse.draws == 0 || columns.way[n] > 0) {
      columns.way[n] = diffuse.draws == 0 ? std::numeric_limits<double>::infinity() : columns.way[n];
      moving[draws] = static_cast<std::uint32_t>(n);
      places[draws++] = {seed_, columns.pair[n], diffuse.draws++};
    }
  }
  std::array<std::complex<double>, PairBatch::kMost> fresh;
  draw_complex_normals(std::span(places.data(), draws), std::span(fresh.data(), draws));
  for (std::size_t i = 0; i < draws; ++i) {
    columns.fresh_in_phase[moving[i]] = fresh[i].real();
    columns.fresh_quadrature[moving[i]] = fresh[i].imag();
  }
  columns.compute();
  for (std::size_t n = 0; n < columns.size; ++n) {
    Diffuse& diffuse = diffuse_[columns.pair[n]];
    diffuse.in_phase = columns.in_phase[n];
    diffuse.quadrature = columns.quadrature[n];
  }
}

}  // namespace hilgate
