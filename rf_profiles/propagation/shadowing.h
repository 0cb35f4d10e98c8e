// SPDX-License-Identifier: Apache-2.0
// Log-normal shadowing, correlated over the distance moved: S' = R S + sqrt(1 - R^2) sigma N(0,1), R = exp(-dx/dcorr)
// (TR 38.901, 7.4.4; M. Gudmundson, "Correlation model for shadow fading in mobile radio systems", 1991).
//
// The process lives on a grid of distance and not of time: a pair that has moved by k steps of dcorr/100 has drawn k
// times, and lies on the straight line between two grid values in between. So the values a pair sees along its way
// do not depend on how often it was asked: halving the window changes nothing but rounding. The line costs at most
// 0.5 % of the variance between two grid values.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "config/units.h"
#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/propagation/pair_batch.h"

namespace hilgate {

/// For one condition of sight. sigma 0 means no shadowing.
struct ShadowSpread {
  Decibels sigma{};
  double correlation_m = 10;  // > 0
};

struct Shadowing {
  ShadowSpread los;
  ShadowSpread nlos;
  [[nodiscard]] bool any() const { return los.sigma > Decibels{0} || nlos.sigma > Decibels{0}; }
};

/// R of two values a pair sees `moved_m` apart.
double shadow_correlation(double moved_m, double correlation_m);

/// One value per unordered pair, so that both directions share it. Every pair draws from a stream of its own
/// (seed, pair), so that results depend neither on the number of pairs nor on the thread that computes them.
class ShadowField {
 public:
  /// What an update keeps for its memory.
  class Scratch {
    friend class ShadowField;
    struct Walker {  // a pair that goes over grid points
      std::uint32_t pair = 0;
      std::uint64_t left = 0;  // grid points to go
      bool afresh = false;     // values independent of those before
    };
    void make_room(std::size_t size) {
      places.resize(size);
      draws.resize(size);
    }
    std::vector<Walker> walkers;
    std::vector<std::uint32_t> steppers;  // pairs that go over one grid point
    std::vector<DrawPlace> places;
    std::vector<double> draws;
    struct Looker {  // a prospect that is not at its end
      std::uint32_t number = 0, pair = 0;
      DrawPlace place;              // of its last draw
      double here = 0, next = 0;    // between which it looks
      double least = 0;             // of both
      double done = 0, grid_m = 0;  // grid points that it has passed, less than 0 at first, and from one to the next
    };
    std::vector<Looker> lookers;
  };

  ShadowField(const Shadowing& shadowing, std::size_t pairs, std::uint64_t seed);

  [[nodiscard]] bool any() const { return !walks_.empty(); }

  /// The pair will soon be asked for: what is kept of it is fetched from memory.
  void expect(std::uint32_t pair) const {
    if (any()) {
      __builtin_prefetch(&walks_[pair], 1);
    }
  }
  /// The losses (negative: gains) in dB of pairs whose ends have moved since they were asked for last, by each pair's
  /// `moved_m` and `line_of_sight`. When the sight changes, an independent value is drawn. A pair that was left out for
  /// some windows has the values of one that was not, if its sight did not change and its `stride_m` was below
  /// leap_m() all the time.
  void update(const PairBatch& pairs, std::span<double> loss_db) { update(pairs, loss_db, scratch_); }
  /// Of one thread: several may ask for different pairs at the same time.
  void update(const PairBatch& pairs, std::span<double> loss_db, Scratch& scratch);
  /// Of one pair.
  double update(std::size_t pair, double moved_m, bool line_of_sight);

  /// So far in one window is a leap, to an independent value.
  [[nodiscard]] double leap_m() const;

  // ---- what lies ahead, for pairs that need not be asked for until then ----

  static constexpr std::uint64_t kAhead = 32;  // grid points

  /// Before look_ahead().
  void keep_ahead();
  /// A pair as update() has left it, and what is asked of its loss.
  struct Prospect {
    std::uint32_t pair = 0;
    bool line_of_sight = true;
    double least = 0;  // in units of sigma; may be negative
    double far_m = 0;  // answer: until it has moved so far, its loss is no smaller, or was asked about
  };
  /// A way ahead of a pair, between two grid points.
  struct Stretch {
    double begin_m = 0, end_m = 0;
    double least = 0;  // no less on it; in units of sigma
  };
  /// On a stretch the loss of a prospect, by its number, may be below its least: whether to look on after it.
  using Below = std::function<bool(std::size_t prospect, const Stretch&)>;
  /// Up to kAhead grid points. Values stay those that they would have been; a pair that goes over all of these in one
  /// update need not draw them again.
  void look_ahead(std::span<Prospect> prospects) { look_ahead(prospects, scratch_, {}); }
  void look_ahead(std::span<Prospect> prospects, Scratch& scratch, const Below& below);
  /// The way over them: the most that Prospect::far_m can be.
  [[nodiscard]] double most_ahead_m(bool line_of_sight) const;

 private:
  enum class Sight : std::uint8_t { kUnknown, kNone, kLine };
  /// A pair on the grid. Half a line of the cache, for most pairs are found in main memory.
  struct alignas(32) Walk {
    double here = 0;         // value at grid point `step`, in units of sigma
    double next = 0;         // value at grid point `step` + 1
    double part = 0;         // how far between the two, [0, 1)
    std::uint32_t step = 0;  // draws so far; begins again beyond 2^32
    std::uint32_t epoch : 30 = 0;
    Sight sight : 2 = Sight::kUnknown;
  };
  void begin_or_move(std::uint32_t pair, double along, bool leaps, Sight sight, std::vector<Scratch::Walker>& walkers);
  void walk_on(Scratch& scratch);
  void step_on(Scratch& scratch);
  static bool looks_on(const Scratch::Looker& looker, Prospect& prospect, const Below& below);
  void draw_afresh(Scratch& scratch);
  [[nodiscard]] DrawPlace draw_of(std::uint32_t pair, std::uint32_t step) const;

  Shadowing shadowing_;
  std::uint64_t seed_;
  // By pair:
  std::vector<Walk> walks_;
  /// Where a pair is when it has gone over kAhead grid points.
  struct Ahead {
    double here = 0, next = 0;
    std::uint64_t from = 0;  // Walk::step + 1 of where that was looked up, more than 32 bits; 0: nowhere
  };
  std::vector<Ahead> ahead_;
  Scratch scratch_;
};

}  // namespace hilgate
