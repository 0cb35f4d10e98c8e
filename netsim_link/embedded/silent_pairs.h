// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "netsim_link/embedded/link_budget.h"
#include "netsim_link/embedded/medium_tile.h"
#include "netsim_link/embedded/pair_losses.h"

namespace hilgate {

/// Silent pairs sleep: while what is known of their shadowing, and the least loss at the distance to which they can
/// have come, keep them silent in any case, no window visits them. A change of sight or a traced path wakes them.
class SilentPairs {
 public:
  /// Both outlive this.
  SilentPairs(PairLosses& losses, const MemberColumns& members) : losses_(losses), members_(members) {}

  /// All pairs of members are awake.
  void begin();
  /// Where the members are now, and their limits.
  void renew(const LinkBudget::Limits& limits);
  /// Up to here two members can hear or disturb each other, m: at the least path loss of their distance, with shadowing
  /// of four standard deviations and the most fading in their favour. Infinite where that is not known.
  [[nodiscard]] double reach_m() const;
  /// Of two antennas, with no shadowing and fading in their favour, m.
  [[nodiscard]] double mean_range_m();
  /// The most loss with which a pair is received at the peak of its fading, and in this window's, dB.
  [[nodiscard]] double faded_loss_db() const;
  [[nodiscard]] double audible_loss_db() const;
  [[nodiscard]] double disturbing_loss_db() const { return limits_.disturbing_db; }

  /// The ways of both ends, m, since the first scene.
  [[nodiscard]] double way_of(std::size_t low, std::size_t high) const {
    return members_.way_m[low] + members_.way_m[high];
  }
  /// By smaller member, the way_of() at which the pair with `high` wakes.
  [[nodiscard]] const double* wakes_of(std::size_t high) const { return wake_way_.data() + pair_count(high); }
  /// Of a pair that wakes: its fading keeps it silent here, and it sleeps on. Several threads may ask for
  /// different pairs.
  [[nodiscard]] bool sleeps_on(std::size_t low, std::size_t high);
  /// Fetches from memory what sleeps_on() and asked() need.
  void expect(std::size_t low, std::size_t high) const { __builtin_prefetch(&kept_[pair_count(high) + low], 1); }

  /// The way_of() of a pair when it was asked for last.
  struct Asked {
    double shadow_m = 0;  // its shadowing
    double fading_m = 0;  // its fading, and what the surroundings had moved
  };
  [[nodiscard]] Asked& asked(std::size_t low, std::size_t high) { return kept_[pair_count(high) + low].asked; }
  /// It is visited, and sleeps on where that is known to be silent, unless it was `changed`: then it is awake until it
  /// is put to sleep.
  void visited(std::size_t low, std::size_t high, bool changed) {
    double& wakes = wake_way(low, high);
    if (wakes > 0 && (changed || is_over(kept_[pair_count(high) + low].night, way_of(low, high)))) {
      wakes = 0;
    }
  }
  /// No way ahead of it is known.
  [[nodiscard]] bool is_awake(std::size_t low, std::size_t high) const {
    return !(wake_way_[pair_count(high) + low] > 0);
  }
  /// False: too far from each other, and asleep until both ends together can have come near enough. Several threads may
  /// ask for different pairs.
  [[nodiscard]] bool is_within(double reach_m, std::size_t low, std::size_t high);

  /// A stretch of a pair's way, 64 stretches of its fading long, on some of which the fading keeps it silent.
  struct Night {
    double begin_m = -std::numeric_limits<double>::infinity();  // way_of()
    std::uint64_t loud = 0;                                     // a bit each: where it may be audible
  };
  /// Those of a tile that may be put to sleep; one thread's.
  struct Sleepers {
    std::vector<ShadowField::Prospect> prospects;
    std::vector<std::size_t> places;  // where it is kept until when each sleeps
    std::vector<double> ways_m;       // their ways
    struct Excess {
      double loss_db = 0;    // of their mean loss, at the least, over the most with which a pair is received
      double sigma_db = 0;   // of the shadowing
      double unfaded_m = 0;  // their way since the last update of their fading
    };
    std::vector<Excess> excesses;
    std::vector<Night> nights;  // that begin so far ahead of them
  };
  /// Pair `i` of the tile is silent.
  void consider(Sleepers& sleepers, const MediumTile& tile, std::size_t i);
  void put_to_sleep(Sleepers& sleepers, ShadowField::Scratch& draws);

 private:
  static constexpr double kHasNotSlept = -1;     // since all were woken
  static constexpr double kNotLater = 1 - 1e-9;  // rounding wakes no pair too late
  static constexpr double kStretches = 64;       // of a night

  /// Whether its antenna is below some height; others may rise and reach farther without being noticed.
  [[nodiscard]] bool has_height_class(std::size_t member) const {
    return height_class_[member] + 1U < heights_m_.size();
  }
  [[nodiscard]] double& wake_way(std::size_t low, std::size_t high) { return wake_way_[pair_count(high) + low]; }
  [[nodiscard]] double stretch_of(const Night& night, double way_m) const {
    return (way_m - night.begin_m) * stretches_per_m_;
  }
  [[nodiscard]] bool is_over(const Night& night, double way_m) const {
    return !(stretch_of(night, way_m) < kStretches);
  }
  bool goes_on(Sleepers& sleepers, std::size_t sleeper, const ShadowField::Stretch& stretch) const;
  static void shorten(Night& night, double stretches, double stretch_m);
  void renew_heights();
  [[nodiscard]] std::size_t highest() const;
  [[nodiscard]] double range_m(double loss_db, std::size_t height, bool sees);
  [[nodiscard]] double least_shadow_db(double d3d_m, std::size_t height, bool sees);
  [[nodiscard]] double find_least_shadow_db(double d3d_m, std::size_t height, bool sees);
  void find_equal_classes();
  void wake_pairs_of(std::size_t member);

  PairLosses& losses_;
  const MemberColumns& members_;
  std::vector<double> wake_way_;  // by members, the greater first: asleep until way_of() both is that long
  struct alignas(32) Kept {
    Asked asked;
    Night night;  // of those asleep
  };
  std::vector<Kept> kept_;                  // likewise; half a line of the cache, for most are found in main memory
  double stretches_per_m_ = 1;              // of the fading
  std::vector<double> heights_m_;           // of antennas, by class: up to it
  std::vector<std::uint8_t> height_class_;  // by member
  std::vector<std::uint8_t> equal_class_;   // of two classes
  std::vector<double> ranges_m_;            // by sight, height, and loss in steps; not a number: not computed yet
  std::vector<double> least_shadows_db_;    // by sight, height, and distance in steps; likewise
  LinkBudget::Limits limits_;
  LinkBudget::Limits ranges_for_;  // ranges_m_, least_shadows_db_
  Decibels fading_gain_{};         // the most
};

}  // namespace hilgate
