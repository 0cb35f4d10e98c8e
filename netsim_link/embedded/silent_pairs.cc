// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/silent_pairs.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "host/large_pages.h"

namespace hilgate {
namespace {

constexpr double kInfiniteReach = std::numeric_limits<double>::infinity();
constexpr double kShadowMargin = 4;   // standard deviations
constexpr double kRoundingDb = 0.01;  // of formulas as vector code
constexpr double kRangeStepDb = 0.5;
constexpr std::size_t kRangeSteps = 160;  // beyond, no pair sleeps
constexpr double kLowest = 0.5;           // m, the first class of heights
constexpr double kHeightRatio = 1.08;     // of one class to the next
constexpr std::size_t kHeights = 128;     // classes, up to 8.8 km
constexpr double kLeastDistance = 1;      // m; nearer pairs do not sleep
constexpr std::size_t kDistances = 1664;  // steps, 64 to each factor of two, up to 67 000 km
constexpr double kNever = 20;             // units of sigma

// A logarithm, straight between two powers of two: the exponent, and the first bits of the fraction.
constexpr int kFractionLeftOut = 46;
const std::uint64_t kFirstDistance = std::bit_cast<std::uint64_t>(kLeastDistance) >> kFractionLeftOut;

std::size_t distance_step(double d3d_m) {
  return (std::bit_cast<std::uint64_t>(d3d_m) >> kFractionLeftOut) - kFirstDistance;
}

// The least in that step.
double distance_at(std::size_t step) {
  return std::bit_cast<double>((kFirstDistance + step) << kFractionLeftOut);
}

// Of a table by sight and height.
std::size_t row_of(std::size_t height, bool sees) {
  return height + (sees ? 0 : kHeights);
}

// Pairs that fall asleep together, at first or woken together, must not wake together; nor later those that move at one
// speed, and so reach the grid points of shadowing in the same windows. Of nights the first differ in length.
double part_of_sleep(std::uint32_t pair, bool first) {
  const auto part = [pair](std::uint32_t factor) { return static_cast<double>(pair * factor) / 4294967296.0; };
  return first ? part(0x9E37'79B9U) : 1 - part(0x85EB'CA6BU) / static_cast<double>(ShadowField::kAhead + 1);
}

}  // namespace

void SilentPairs::begin() {
  reserve_large_pages(wake_way_, pair_count(members_.size()));
  wake_way_.assign(pair_count(members_.size()), kHasNotSlept);
  reserve_large_pages(kept_, pair_count(members_.size()));
  kept_.resize(pair_count(members_.size()));
  losses_.shadows().keep_ahead();
  losses_.fading().keep_ahead();
  fading_gain_ = losses_.fading().greatest_gain();
  stretches_per_m_ = 1 / losses_.fading().stretch_m();
}

void SilentPairs::renew(const LinkBudget::Limits& limits) {
  limits_ = limits;
  renew_heights();
}

std::size_t SilentPairs::highest() const {
  return *std::max_element(height_class_.begin(), height_class_.end());
}

double SilentPairs::reach_m() const {
  const double longest_m = *std::max_element(members_.moved_m.begin(), members_.moved_m.end());
  const ShadowField& shadows = losses_.shadows();
  if (shadows.any() && 2 * longest_m >= shadows.leap_m()) {
    return kInfiniteReach;
  }
  const Shadowing& shadowing = losses_.channel().shadowing;
  const double shadow_db = kShadowMargin * std::max(shadowing.los.sigma, shadowing.nlos.sigma).value;
  const double loss_db =
      std::max(limits_.audible_db + shadow_db + fading_gain_.value, limits_.disturbing_db) + kRoundingDb;
  const double highest_m = highest() + 1U < heights_m_.size()
                               ? heights_m_[highest()]
                               : *std::max_element(members_.height_m.begin(), members_.height_m.end());
  return greatest_range_m(losses_.channel().path_loss, {loss_db}, highest_m, losses_.carrier())
      .value_or(kInfiniteReach);
}

double SilentPairs::audible_loss_db() const {
  return limits_.audible_db + kRoundingDb;
}

double SilentPairs::faded_loss_db() const {
  return limits_.audible_db + fading_gain_.value + kRoundingDb;
}

// An antenna that rises above its class may reach farther.
void SilentPairs::renew_heights() {
  if (heights_m_.empty()) {
    for (std::size_t i = 0; i < kHeights; ++i) {
      heights_m_.push_back(kLowest * std::pow(kHeightRatio, static_cast<double>(i)));
    }
    height_class_.assign(members_.size(), 0);
  }
  if (equal_class_.empty()) {
    find_equal_classes();
  }
  for (std::size_t i = 0; i < members_.size(); ++i) {
    const double height_m = members_.height_m[i];
    std::uint8_t& height = height_class_[i];
    const bool rises = height_m > heights_m_[height] && height + 1U < kHeights;
    while (height_m > heights_m_[height] && height + 1U < kHeights) {
      ++height;
    }
    while (height > 1 && height_m < heights_m_[height - 2U]) {  // not at each metre up and down
      --height;
    }
    if (rises) {
      wake_pairs_of(i);
    }
  }
  if (ranges_for_ != limits_) {
    ranges_for_ = limits_;
    std::fill(wake_way_.begin(), wake_way_.end(), kHasNotSlept);
    ranges_m_.assign(2 * kHeights * kRangeSteps, std::numeric_limits<double>::quiet_NaN());
    least_shadows_db_.assign(2 * kHeights * kDistances, std::numeric_limits<double>::quiet_NaN());
  }
}

// Of each two classes that of two antennas which hear no less.
void SilentPairs::find_equal_classes() {
  equal_class_.resize(kHeights * kHeights);
  for (std::size_t one = 0; one < kHeights; ++one) {
    for (std::size_t other = 0; other < kHeights; ++other) {
      const auto [low_m, high_m] = std::minmax(heights_m_[one], heights_m_[other]);
      const double equal_m = equal_height_m(losses_.channel().path_loss, high_m, low_m, losses_.carrier());
      const auto found = std::lower_bound(heights_m_.begin(), heights_m_.end() - 1, equal_m);
      equal_class_[one * kHeights + other] = static_cast<std::uint8_t>(found - heights_m_.begin());
    }
  }
}

void SilentPairs::wake_pairs_of(std::size_t member) {
  for (std::size_t other = 0; other < members_.size(); ++other) {
    if (other != member) {
      wake_way(std::min(member, other), std::max(member, other)) = kHasNotSlept;
    }
  }
}

// Farther away, two antennas in this class or below lose more than `loss_db`, but for the shadowing, and do not disturb
// one another.
double SilentPairs::range_m(double loss_db, std::size_t height, bool sees) {
  const double least_db = std::max(loss_db, limits_.disturbing_db + kRoundingDb);
  const double above = std::max(0.0, std::ceil((least_db - limits_.audible_db) / kRangeStepDb));
  if (!(above < static_cast<double>(kRangeSteps)) || height + 1 >= kHeights) {
    return std::numeric_limits<double>::infinity();
  }
  // Threads that ask for the same at once find the same.
  const std::atomic_ref<double> kept(ranges_m_[row_of(height, sees) * kRangeSteps + static_cast<std::size_t>(above)]);
  double range = kept.load(std::memory_order_relaxed);
  if (std::isnan(range)) {
    range = greatest_range_m(losses_.channel().path_loss, {limits_.audible_db + above * kRangeStepDb},
                             heights_m_[height], losses_.carrier(), !sees)
                .value_or(std::numeric_limits<double>::infinity());
    kept.store(range, std::memory_order_relaxed);
  }
  return range;
}

// Of two antennas, with nothing in their favour.
double SilentPairs::mean_range_m() {
  return range_m(limits_.audible_db, highest(), true);
}

// The least shadowing loss with which the pair is silent at `d3d_m` and farther away; at most that of the next lower
// distance step.
double SilentPairs::least_shadow_db(double d3d_m, std::size_t height, bool sees) {
  if (!(d3d_m >= kLeastDistance)) {
    return std::numeric_limits<double>::infinity();
  }
  const std::size_t step = std::min(distance_step(d3d_m), kDistances - 1);
  // Threads that ask for the same at once find the same.
  const std::atomic_ref<double> kept(least_shadows_db_[row_of(height, sees) * kDistances + step]);
  double least_db = kept.load(std::memory_order_relaxed);
  if (std::isnan(least_db)) {
    least_db = find_least_shadow_db(distance_at(step), height, sees);
    kept.store(least_db, std::memory_order_relaxed);
  }
  return least_db;
}

double SilentPairs::find_least_shadow_db(double d3d_m, std::size_t height, bool sees) {
  std::size_t below = 0;  // steps, the first that is too many
  for (std::size_t above = kRangeSteps; below < above;) {
    const std::size_t middle = (below + above) / 2;
    if (range_m(limits_.audible_db + static_cast<double>(middle) * kRangeStepDb, height, sees) < d3d_m) {
      below = middle + 1;
    } else {
      above = middle;
    }
  }
  return below == 0 ? std::numeric_limits<double>::infinity()
                    : faded_loss_db() - limits_.audible_db - static_cast<double>(below - 1) * kRangeStepDb;
}

// A pair that is too far apart, for its own sight and heights or for any, sleeps until both ends together can have come
// near enough. One that rises to where it may reach farther is woken (renew_heights()).
void SilentPairs::consider(Sleepers& sleepers, const MediumTile& tile, std::size_t i) {
  const PairBatch& pairs = tile.pairs;
  const bool sees = pairs.line_of_sight[i] != 0;
  const double sigma_db = (sees ? losses_.channel().shadowing.los : losses_.channel().shadowing.nlos).sigma.value;
  const std::uint8_t height = equal_class_[height_class_[tile.low(i)] * kHeights + height_class_[tile.high(i)]];
  const double beyond_m = pairs.d3d_m[i] - range_m(faded_loss_db() + kShadowMargin * sigma_db, height, sees);
  if (beyond_m > 0 && has_height_class(tile.low(i)) && has_height_class(tile.high(i))) {
    wake_way(tile.low(i), tile.high(i)) = (way_of(tile.low(i), tile.high(i)) + beyond_m) * kNotLater;
    kept_[pair_count(tile.high(i)) + tile.low(i)].night = {};
    return;
  }
  const double least_db = least_shadow_db(pairs.d3d_m[i] - losses_.shadows().most_ahead_m(sees), height, sees);
  const double excess_db = faded_loss_db() - limits_.audible_db - least_db;
  if (!std::isfinite(excess_db)) {
    return;
  }
  const double never = least_db <= 0 ? -kNever : kNever;
  losses_.fading().expect(pairs.pair[i]);
  sleepers.prospects.push_back(
      {.pair = pairs.pair[i], .line_of_sight = sees, .least = sigma_db > 0 ? least_db / sigma_db : never});
  sleepers.places.push_back(pair_count(tile.high(i)) + tile.low(i));
  const double way_m = way_of(tile.low(i), tile.high(i));
  sleepers.ways_m.push_back(way_m);
  sleepers.excesses.push_back(
      {.loss_db = excess_db, .sigma_db = sigma_db, .unfaded_m = way_m - kept_[sleepers.places.back()].asked.fading_m});
  sleepers.nights.emplace_back();
}

// Where the shadowing alone does not keep it silent, the fading may: that is a function of the way. Up to where a pair
// may be audible it sleeps; from there on a night has what is known of the fading.
bool SilentPairs::goes_on(Sleepers& sleepers, std::size_t sleeper, const ShadowField::Stretch& stretch) const {
  const FadingField& fading = losses_.fading();
  const Sleepers::Excess& excess = sleepers.excesses[sleeper];
  const double silent_db = excess.loss_db + excess.sigma_db * stretch.least - 2 * kRoundingDb;
  const ShadowField::Prospect& prospect = sleepers.prospects[sleeper];
  const double begin_m = excess.unfaded_m + stretch.begin_m;
  const double end_m = excess.unfaded_m + stretch.end_m;
  Night& night = sleepers.nights[sleeper];
  if (!fading.is_known_ahead(prospect.line_of_sight)) {
    return false;
  }
  if (night.loud == 0) {
    const double silent_m = fading.stays_below_m(prospect.pair, prospect.line_of_sight, silent_db, begin_m, end_m);
    if (silent_m >= end_m) {
      return true;
    }
    night.begin_m = fading.stretch_begin_m(prospect.pair, silent_m) - excess.unfaded_m;
  }
  if (stretch.begin_m >= night.begin_m + kStretches / stretches_per_m_) {
    return false;
  }
  night.loud |= fading.loud_stretches(prospect.pair, prospect.line_of_sight, silent_db,
                                      night.begin_m + excess.unfaded_m, begin_m, end_m);
  return true;
}

// So many of its stretches are known: it ends with them, and begins earlier.
void SilentPairs::shorten(Night& night, double stretches, double stretch_m) {
  const double left_out = std::ceil(kStretches - stretches);
  if (left_out > 0) {
    night.begin_m -= left_out * stretch_m;
    night.loud = left_out < kStretches ? night.loud << static_cast<unsigned>(left_out) : 0;
  }
}

void SilentPairs::put_to_sleep(Sleepers& sleepers, ShadowField::Scratch& draws) {
  losses_.shadows().look_ahead(
      sleepers.prospects, draws,
      [&](std::size_t sleeper, const ShadowField::Stretch& stretch) { return goes_on(sleepers, sleeper, stretch); });
  for (std::size_t i = 0; i < sleepers.prospects.size(); ++i) {
    const ShadowField::Prospect& prospect = sleepers.prospects[i];
    double& wake_m = wake_way_[sleepers.places[i]];
    const bool first = wake_m == kHasNotSlept;
    const double part = part_of_sleep(prospect.pair, first);
    Night& night = sleepers.nights[i];
    double silent_m = prospect.far_m * part;
    if (night.loud != 0) {
      silent_m = std::max(0.0, night.begin_m + std::countr_zero(night.loud) / stretches_per_m_);
      const double known = (prospect.far_m - night.begin_m) * stretches_per_m_;
      shorten(night, std::min(known, kStretches) * (first ? part : 1), 1 / stretches_per_m_);
      night.begin_m += sleepers.ways_m[i];
    } else {
      night = {};
    }
    kept_[sleepers.places[i]].night = night;
    wake_m = (sleepers.ways_m[i] + silent_m) * kNotLater;
  }
  sleepers.prospects.clear();
  sleepers.places.clear();
  sleepers.ways_m.clear();
  sleepers.excesses.clear();
  sleepers.nights.clear();
}

bool SilentPairs::sleeps_on(std::size_t low, std::size_t high) {
  double& wakes = wake_way(low, high);
  const Night& night = kept_[pair_count(high) + low].night;
  const double way_m = way_of(low, high);
  if (!(wakes > 0) || is_over(night, way_m)) {
    return false;
  }
  const auto stretch = static_cast<unsigned>(std::max(stretch_of(night, way_m), 0.0));
  const std::uint64_t loud = night.loud >> stretch;
  if ((loud & 1U) != 0) {
    return false;
  }
  const double silent = loud != 0 ? static_cast<double>(stretch) + std::countr_zero(loud) : kStretches;
  wakes = (night.begin_m + silent / stretches_per_m_) * kNotLater;
  return true;
}

bool SilentPairs::is_within(double reach_m, std::size_t low, std::size_t high) {
  const double east = members_.x_m[low] - members_.x_m[high];
  const double north = members_.y_m[low] - members_.y_m[high];
  const double above = members_.z_m[low] - members_.z_m[high];
  const double square = east * east + north * north + above * above;
  if (square <= reach_m * reach_m) {
    return true;
  }
  if (has_height_class(low) && has_height_class(high)) {
    wake_way(low, high) = way_of(low, high) + (std::sqrt(square) - reach_m) * kNotLater;
  }
  return false;
}

}  // namespace hilgate
