// SPDX-License-Identifier: Apache-2.0
// Silent pairs sleep: while what is known of their shadowing, and the least loss at the distance to which they can have
// come, keep them silent whatever happens, nobody looks at them. A change of sight or a traced path wakes them.
#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {
namespace {

constexpr double kBeyondRoundingDb = 0.01;
constexpr double kRangeStepDb = 0.5;
constexpr std::size_t kRangeSteps = 160;  // beyond, nobody sleeps
constexpr double kLowest = 0.5;           // m, the first class of heights
constexpr double kHeightRatio = 1.08;     // of one class to the next
constexpr std::size_t kHeights = 128;     // classes, up to 8.8 km
constexpr double kLeastDistance = 1;      // m; who is nearer does not sleep
constexpr std::size_t kDistances = 1664;  // steps, 64 to each factor of two, up to 67 000 km
constexpr double kWorthwhile = 0.25;      // of sigma: who is nearer to being audible is looked at in the next window
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

// Those who fall asleep together, at first or woken together, shall not wake together; nor later those who move at
// one speed, and so come to the points of the grid of shadowing in the same windows.
double part_of_sleep(std::uint32_t pair, bool first) {
  const auto part = [pair](std::uint32_t factor) { return static_cast<double>(pair * factor) / 4294967296.0; };
  return first ? part(0x9E37'79B9U) : 1 - part(0x85EB'CA6BU) / static_cast<double>(ShadowField::kAhead + 1);
}

}  // namespace

// An antenna that rises above its class may be heard farther away.
void RadioMedium::renew_heights() {
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
    const double z_m = columns_.z_m[i];
    std::uint8_t& height = height_class_[i];
    const bool rises = z_m > heights_m_[height] && height + 1U < kHeights;
    while (z_m > heights_m_[height] && height + 1U < kHeights) {
      ++height;
    }
    while (height > 1 && z_m < heights_m_[height - 2U]) {  // not at each metre up and down
      --height;
    }
    if (rises) {
      wake_pairs_of(i);
    }
  }
  if (ranges_for_audible_db_ != audible_loss_db_ || ranges_for_disturbing_db_ != disturbing_loss_db_) {
    ranges_for_audible_db_ = audible_loss_db_;
    ranges_for_disturbing_db_ = disturbing_loss_db_;
    std::fill(wake_way_.begin(), wake_way_.end(), kHasNotSlept);
    ranges_m_.assign(kHeights * kRangeSteps, std::numeric_limits<double>::quiet_NaN());
    least_shadows_db_.assign(kHeights * kDistances, std::numeric_limits<double>::quiet_NaN());
  }
}

// Of each two classes that of two antennas which hear no less.
void RadioMedium::find_equal_classes() {
  equal_class_.resize(kHeights * kHeights);
  for (std::size_t one = 0; one < kHeights; ++one) {
    for (std::size_t other = 0; other < kHeights; ++other) {
      const auto [low_m, high_m] = std::minmax(heights_m_[one], heights_m_[other]);
      const double equal_m = equal_height_m(channel_.path_loss, high_m, low_m, carrier_);
      const auto found = std::lower_bound(heights_m_.begin(), heights_m_.end() - 1, equal_m);
      equal_class_[one * kHeights + other] = static_cast<std::uint8_t>(found - heights_m_.begin());
    }
  }
}

void RadioMedium::wake_pairs_of(std::size_t member) {
  for (std::size_t other = 0; other < members_.size(); ++other) {
    if (other != member) {
      wake_way(std::min(member, other), std::max(member, other)) = kHasNotSlept;
    }
  }
}

// Farther away, two antennas in this class or below lose more than `loss_db`, but for the shadowing, and do not disturb
// one another.
double RadioMedium::range_m(double loss_db, std::size_t height) {
  const double least_db = std::max(loss_db, disturbing_loss_db_ + kBeyondRoundingDb);
  const double above = std::max(0.0, std::ceil((least_db - audible_loss_db_) / kRangeStepDb));
  if (!(above < static_cast<double>(kRangeSteps)) || height + 1 >= kHeights) {
    return std::numeric_limits<double>::infinity();
  }
  // Threads that ask for the same at once find the same.
  const std::atomic_ref<double> kept(ranges_m_[height * kRangeSteps + static_cast<std::size_t>(above)]);
  double range = kept.load(std::memory_order_relaxed);
  if (std::isnan(range)) {
    range =
        greatest_range_m(channel_.path_loss, {audible_loss_db_ + above * kRangeStepDb}, heights_m_[height], carrier_)
            .value_or(std::numeric_limits<double>::infinity());
    kept.store(range, std::memory_order_relaxed);
  }
  return range;
}

// Of two antennas, with nothing in their favour.
double RadioMedium::mean_range_m() {
  return range_m(audible_loss_db_, *std::max_element(height_class_.begin(), height_class_.end()));
}

// What the shadowing of the pair must at least lose, so that nobody hears it at `d3d_m` and farther away; at most what
// it must at the step of distance below.
double RadioMedium::least_shadow_db(double d3d_m, std::size_t height) {
  if (!(d3d_m >= kLeastDistance)) {
    return std::numeric_limits<double>::infinity();
  }
  const std::size_t step = std::min(distance_step(d3d_m), kDistances - 1);
  // Threads that ask for the same at once find the same.
  const std::atomic_ref<double> kept(least_shadows_db_[height * kDistances + step]);
  double least_db = kept.load(std::memory_order_relaxed);
  if (std::isnan(least_db)) {
    least_db = find_least_shadow_db(distance_at(step), height);
    kept.store(least_db, std::memory_order_relaxed);
  }
  return least_db;
}

double RadioMedium::find_least_shadow_db(double d3d_m, std::size_t height) {
  std::size_t below = 0;  // steps, the first that is too many
  for (std::size_t above = kRangeSteps; below < above;) {
    const std::size_t middle = (below + above) / 2;
    if (range_m(audible_loss_db_ + static_cast<double>(middle) * kRangeStepDb, height) < d3d_m) {
      below = middle + 1;
    } else {
      above = middle;
    }
  }
  return below == 0 ? std::numeric_limits<double>::infinity()
                    : faded_loss_db() - audible_loss_db_ - static_cast<double>(below - 1) * kRangeStepDb;
}

// Place `i` of the tile is silent.
void RadioMedium::consider_sleep(Work& work, std::size_t i) {
  const MediumTile& tile = *work.tile;
  const PairBatch& pairs = tile.pairs;
  const bool sees = pairs.line_of_sight[i] != 0;
  const double sigma_db = (sees ? channel_.shadowing.los : channel_.shadowing.nlos).sigma.value;
  const double least_db =
      least_shadow_db(pairs.d3d_m[i] - shadows_.most_ahead_m(sees),
                      equal_class_[height_class_[tile.low(i)] * kHeights + height_class_[tile.high(i)]]);
  if (least_db + kWorthwhile * sigma_db > tile.shadow_db[i]) {
    return;
  }
  work.sleepers.push_back(
      {.pair = pairs.pair[i], .line_of_sight = sees, .least = sigma_db > 0 ? least_db / sigma_db : -kNever});
  work.sleeper_wakes.push_back(&wake_way(tile.low(i), tile.high(i)));
  work.sleeper_ways_m.push_back(way_of(tile.low(i), tile.high(i)));
}

void RadioMedium::put_to_sleep(Work& work) {
  shadows_.look_ahead(work.sleepers, work.draws);
  for (std::size_t i = 0; i < work.sleepers.size(); ++i) {
    double& wake_m = *work.sleeper_wakes[i];
    const double part = part_of_sleep(work.sleepers[i].pair, wake_m == kHasNotSlept);
    wake_m = (work.sleeper_ways_m[i] + work.sleepers[i].far_m * part) * kNotLater;
  }
  work.sleepers.clear();
  work.sleeper_wakes.clear();
  work.sleeper_ways_m.clear();
}

}  // namespace hilgate
