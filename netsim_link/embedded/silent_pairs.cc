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
// speed, and so reach the grid points of shadowing in the same windows.
double part_of_sleep(std::uint32_t pair, bool first) {
  const auto part = [pair](std::uint32_t factor) { return static_cast<double>(pair * factor) / 4294967296.0; };
  return first ? part(0x9E37'79B9U) : 1 - part(0x85EB'CA6BU) / static_cast<double>(ShadowField::kAhead + 1);
}

}  // namespace

void SilentPairs::begin() {
  reserve_large_pages(wake_way_, pair_count(members_.size()));
  wake_way_.assign(pair_count(members_.size()), kHasNotSlept);
  losses_.shadows().keep_ahead();
  losses_.fading().keep_ahead();
  fading_gain_ = losses_.fading().greatest_gain();
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

void SilentPairs::consider(Sleepers& sleepers, const MediumTile& tile, std::size_t i, double unfaded_m) {
  const PairBatch& pairs = tile.pairs;
  const bool sees = pairs.line_of_sight[i] != 0;
  const double sigma_db = (sees ? losses_.channel().shadowing.los : losses_.channel().shadowing.nlos).sigma.value;
  const double least_db =
      least_shadow_db(pairs.d3d_m[i] - losses_.shadows().most_ahead_m(sees),
                      equal_class_[height_class_[tile.low(i)] * kHeights + height_class_[tile.high(i)]], sees);
  const double excess_db = faded_loss_db() - limits_.audible_db - least_db;
  if (!(excess_db + tile.shadow_db[i] > 0)) {
    return;
  }
  const double never = least_db <= 0 ? -kNever : kNever;
  losses_.fading().expect(pairs.pair[i]);
  sleepers.prospects.push_back(
      {.pair = pairs.pair[i], .line_of_sight = sees, .least = sigma_db > 0 ? least_db / sigma_db : never});
  sleepers.wakes.push_back(&wake_way(tile.low(i), tile.high(i)));
  sleepers.ways_m.push_back(way_of(tile.low(i), tile.high(i)));
  sleepers.excesses.push_back({.loss_db = excess_db, .sigma_db = sigma_db, .unfaded_m = unfaded_m});
}

// Where the shadowing alone does not keep it silent, the fading may: that is a function of the way.
double SilentPairs::silent_up_to_m(const Sleepers& sleepers, std::size_t sleeper,
                                   const ShadowField::Stretch& stretch) const {
  const Sleepers::Excess& excess = sleepers.excesses[sleeper];
  const double silent_db = excess.loss_db + excess.sigma_db * stretch.least - 2 * kRoundingDb;
  const ShadowField::Prospect& prospect = sleepers.prospects[sleeper];
  return losses_.fading().stays_below_m(prospect.pair, prospect.line_of_sight, silent_db,
                                        excess.unfaded_m + stretch.begin_m, excess.unfaded_m + stretch.end_m) -
         excess.unfaded_m;
}

void SilentPairs::put_to_sleep(Sleepers& sleepers, ShadowField::Scratch& draws) {
  losses_.shadows().look_ahead(sleepers.prospects, draws,
                               [&](std::size_t sleeper, const ShadowField::Stretch& stretch) {
                                 return silent_up_to_m(sleepers, sleeper, stretch);
                               });
  for (std::size_t i = 0; i < sleepers.prospects.size(); ++i) {
    double& wake_m = *sleepers.wakes[i];
    const double part = part_of_sleep(sleepers.prospects[i].pair, wake_m == kHasNotSlept);
    wake_m = (sleepers.ways_m[i] + sleepers.prospects[i].far_m * part) * kNotLater;
  }
  sleepers.prospects.clear();
  sleepers.wakes.clear();
  sleepers.ways_m.clear();
  sleepers.excesses.clear();
}

// A pair that is too far apart sleeps until both ends together can have come near enough. One that rises to where it
// may reach farther is woken (renew_heights()).
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
