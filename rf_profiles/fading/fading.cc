// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fading/fading.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "host/large_pages.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/numeric/vector_code.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kStreamSalt = 0x66'61'64'69'6E'67'00'00;  // "fading"
constexpr std::uint64_t kPlaces = 1ULL << 32;                     // draws apart from those of the wave
constexpr double kLeastPower = 1e-10;
constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr auto kStretchesAhead = static_cast<std::uint64_t>(ClarkeWave::kPeriod) * ClarkeWave::kStretches;
constexpr double kFarthestMoved = 0x1p36;  // wavelengths; on a longer way the phase would lose its precision

HILGATE_VECTOR_CODE void find_places(const double* power, std::size_t size, double* place) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    place[i] = PowerMap::place_of(power[i]);
  }
}

HILGATE_VECTOR_CODE void in_decibels(double* power, std::size_t size) {
#pragma omp simd
  for (std::size_t i = 0; i < size; ++i) {
    power[i] = db_of(power[i] > kLeastPower ? power[i] : kLeastPower);
  }
}

}  // namespace

struct FadingField::Steps : FadingWaves {
  explicit Steps(const FadingLaw& law)
      : FadingWaves(std::visit([](const auto& chosen) { return chosen.waves(); }, law)),
        apart(ClarkeWave::kPeriod / static_cast<double>(taps.size())),
        twice_root(2 * std::sqrt(steady * taps.front())) {}
  double apart;       // wavelengths between taps on the wave, so far that they are uncorrelated
  double twice_root;  // 2 sqrt of the steady wave's power times the first tap's
};

/// The fading of the pairs of a batch at their positions.
struct FadingField::Waves {
  PairBatch::Numbers place;                 // on the wave, wavelengths; then in the tables of powers
  PairBatch::Numbers in_phase, quadrature;  // of the first tap
  PairBatch::Numbers others;                // power of all other taps
  PairBatch::Numbers turns;                 // phase of the steady wave
};

/// Powers of all waves together. The steady wave interferes with the first tap: |s + d|^2 = |s|^2 + |d|^2 + 2 Re(s* d).
/// It comes from a direction of the pair's own, so that its phase turns by the cosine of it per wavelength.
HILGATE_VECTOR_CODE void FadingField::add_up(const Steps& nlos, const Steps& los, const PairBatch& pairs, Waves& waves,
                                             double* power) {
  const double first[] = {nlos.taps.front(), los.taps.front()};
#pragma omp simd
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const double norm = waves.in_phase[i] * waves.in_phase[i] + waves.quadrature[i] * waves.quadrature[i];
    power[i] = (pairs.line_of_sight[i] != 0 ? first[1] : first[0]) * norm + waves.others[i];
  }
  if (nlos.steady == 0 && los.steady == 0) {
    return;
  }
  const double steady[] = {nlos.steady, los.steady};
  const double twice_root[] = {nlos.twice_root, los.twice_root};
#pragma omp simd
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const bool sight = pairs.line_of_sight[i] != 0;
    const CirclePoint phase = circle_at(waves.turns[i]);
    const double along = phase.cosine * waves.in_phase[i] + phase.sine * waves.quadrature[i];
    power[i] += (sight ? steady[1] : steady[0]) + (sight ? twice_root[1] : twice_root[0]) * along;
  }
}

bool is_selective(const FadingLaw& law) {
  return std::holds_alternative<TracedFading>(law) ||
         !std::visit([](const auto& chosen) { return chosen.waves(); }, law).delays_s.empty();
}

Band band_of(const Fading& fading, Hertz width) {
  constexpr double kOfTracedPaths = 1e-6;  // 300 m longer than the shortest
  double longest_s = 0;
  for (const FadingLaw* const law : {&fading.los, &fading.nlos}) {
    for (const double delay_s : std::visit([](const auto& chosen) { return chosen.waves(); }, *law).delays_s) {
      longest_s = std::max(longest_s, delay_s);
    }
    longest_s = std::holds_alternative<TracedFading>(*law) ? std::max(longest_s, kOfTracedPaths) : longest_s;
  }
  return {width, longest_s};
}

FadingField::FadingField(const Fading& fading, Hertz frequency, std::size_t pairs, std::uint64_t seed)
    : fading_(fading), wavelength_m_(kLightSpeed / frequency.value) {
  if (!fading.any()) {
    return;
  }
  wave_ = std::make_shared<const ClarkeWave>(seed ^ kStreamSalt);
  los_ = std::make_shared<const Steps>(fading.los);
  nlos_ = std::make_shared<const Steps>(fading.nlos);
  reserve_large_pages(ways_, pairs);
  const bool steady = los_->steady > 0 || nlos_->steady > 0;
  if (steady) {
    reserve_large_pages(directions_, pairs);
  }
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    FrameRandom random(seed ^ kStreamSalt, static_cast<std::uint32_t>(pair), kPlaces);
    const double start = random.uniform() * ClarkeWave::kPeriod;
    ways_.push_back({.start = start, .moved = 0});
    if (steady) {
      directions_.push_back(std::cos(kTwoPi * random.uniform()));
    }
  }
}

Decibels FadingField::greatest_gain() const {
  if (!any()) {
    return {};
  }
  const double most = wave_->greatest_power();
  double power = 1;
  for (const Steps* const law : {los_.get(), nlos_.get()}) {
    double amplitude = std::sqrt(law->steady) + std::sqrt(law->taps.front() * most);
    double others = 0;
    for (std::size_t tap = 1; tap < law->taps.size(); ++tap) {
      others += law->taps[tap] * most;
      amplitude += law->delays_s.empty() ? 0 : std::sqrt(law->taps[tap] * most);  // at some frequency all add up
    }
    const double sum = amplitude * amplitude + (law->delays_s.empty() ? others : 0);
    power = std::max(power, law->map ? (*law->map)(sum) : sum);
  }
  return decibels(power);
}

void FadingField::keep_ahead() {
  if (any()) {
    los_ahead_ = greatest_gains(*los_);
    nlos_ahead_ = greatest_gains(*nlos_);
  }
}

std::vector<float> FadingField::greatest_gains(const Steps& law) const {
  std::vector<float> gains_db;
  if (law.taps.size() > 1 || !law.delays_s.empty() || fading_.doppler.value > 0) {
    return gains_db;
  }
  constexpr float kRoundingDb = 0.001F;
  for (const double most : wave_->greatest_powers()) {
    const double amplitude = std::sqrt(law.steady) + std::sqrt(law.taps.front() * most);
    const double sum = amplitude * amplitude;
    const double power = std::max(law.map ? (*law.map)(sum) : sum, kLeastPower);
    gains_db.push_back(static_cast<float>(decibels(power).value) + kRoundingDb);
  }
  return gains_db;
}

double FadingField::stays_below_m(std::size_t pair, bool line_of_sight, double gain_db, double begin_m,
                                  double end_m) const {
  const std::vector<float>& ahead = line_of_sight ? los_ahead_ : nlos_ahead_;
  if (ahead.empty()) {
    return begin_m;
  }
  const double first = std::floor(stretches_at(pair, begin_m));
  if (!(first < kFarthestMoved)) {
    return begin_m;
  }
  const double last = stretches_at(pair, end_m);
  auto stretch = static_cast<std::uint64_t>(first);
  while (static_cast<double>(stretch) <= last && ahead[stretch % kStretchesAhead] < gain_db) {
    ++stretch;
  }
  const Way& way = ways_[pair];
  const double stays_m =
      (static_cast<double>(stretch) / ClarkeWave::kStretches - way.start - way.moved) * wavelength_m_;
  return std::clamp(stays_m, begin_m, end_m);
}

double FadingField::stretch_begin_m(std::size_t pair, double at_m) const {
  return (std::floor(stretches_at(pair, at_m)) - stretches_at(pair, 0)) * stretch_m();
}

std::uint64_t FadingField::loud_stretches(std::size_t pair, bool line_of_sight, double gain_db, double first_m,
                                          double begin_m, double end_m) const {
  constexpr std::uint64_t kMost = 64;
  const double first = std::floor(stretches_at(pair, first_m));
  if (!(first < kFarthestMoved)) {
    return ~std::uint64_t{0};
  }
  const std::vector<float>& ahead = line_of_sight ? los_ahead_ : nlos_ahead_;
  const auto zeroth = static_cast<std::uint64_t>(first);
  const auto begin = static_cast<std::uint64_t>(std::max(stretches_at(pair, begin_m), first)) - zeroth;
  const auto end = static_cast<std::uint64_t>(std::max(stretches_at(pair, end_m), first)) - zeroth + 1;
  std::uint64_t loud = 0;
  for (std::uint64_t i = begin; i < std::min(end, kMost); ++i) {
    loud |= std::uint64_t{ahead[(zeroth + i) % kStretchesAhead] >= gain_db} << i;
  }
  return loud;
}

void FadingField::update(const PairBatch& pairs, double passed_s, std::span<double> gain_db) {
  assert(gain_db.size() == pairs.size);
  if (!any()) {
    std::fill(gain_db.begin(), gain_db.end(), 0.0);
    return;
  }
  const double turned = fading_.doppler.value * passed_s;
  const double per_m = 1 / wavelength_m_;
  const Steps* const laws[] = {nlos_.get(), los_.get()};
  Waves waves;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const std::uint32_t pair = pairs.pair[i];
    Way& way = ways_[pair];
    way.moved += pairs.moved_m[i] * per_m + turned;
    if (!(way.moved < kFarthestMoved)) {  // also when it is no number
      way.moved = std::isfinite(way.moved) ? std::fmod(way.moved, ClarkeWave::kPeriod) : 0;
    }
    waves.place[i] = way.start + way.moved;
    wave_->expect(waves.place[i]);
    waves.turns[i] = directions_.empty() ? 0 : way.moved * directions_[pair] + way.start;
  }
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const Steps& law = *laws[pairs.line_of_sight[i]];
    const std::complex<float> first = wave_->at(waves.place[i]);
    waves.in_phase[i] = first.real();
    waves.quadrature[i] = first.imag();
    waves.others[i] = law.taps.size() > 1 ? power_of_others(law, waves.place[i]) : 0;
  }
  add_up(*nlos_, *los_, pairs, waves, gain_db.data());
  if (los_->map || nlos_->map) {
    find_places(gain_db.data(), gain_db.size(), waves.place.data());
    for (std::size_t i = 0; i < pairs.size; ++i) {
      const Steps& law = *laws[pairs.line_of_sight[i]];
      gain_db[i] = law.map ? law.map->at(waves.place[i]) : gain_db[i];
    }
  }
  in_decibels(gain_db.data(), gain_db.size());
}

void FadingField::echoes(std::size_t pair, bool line_of_sight, std::vector<Echo>& echoes) const {
  echoes.clear();
  const Steps& law = line_of_sight ? *los_ : *nlos_;
  const Way& way = ways_[pair];
  double turns = way.start + way.moved;
  for (std::size_t tap = 0; tap < law.delays_s.size(); ++tap) {
    echoes.push_back({std::sqrt(law.taps[tap]) * std::complex<double>(wave_->at(turns)), law.delays_s[tap]});
    turns += law.apart;
  }
  if (!echoes.empty()) {
    const CirclePoint phase = circle_at(directions_.empty() ? 0 : way.moved * directions_[pair] + way.start);
    echoes.front().gain += std::sqrt(law.steady) * std::complex<double>(phase.cosine, phase.sine);
  }
}

double FadingField::update(std::size_t pair, double moved_m, double passed_s, bool line_of_sight) {
  double gain_db = 0;
  update(PairBatch::one(pair, moved_m, line_of_sight), passed_s, std::span(&gain_db, 1));
  return gain_db;
}

double FadingField::power_of_others(const Steps& law, double turns) const {
  double sum = 0;
  for (std::size_t tap = 1; tap < law.taps.size(); ++tap) {
    turns += law.apart;
    sum += law.taps[tap] * std::norm(wave_->at(turns));
  }
  return sum;
}

}  // namespace hilgate
