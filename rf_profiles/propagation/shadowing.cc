// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/shadowing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "host/large_pages.h"

namespace hilgate {
namespace {

constexpr double kStepsPerCorrelation = 20;
constexpr double kLeap = 10;                              // correlation distances: e^-10
constexpr double kForgotten = 40 * kStepsPerCorrelation;  // steps: e^-40 of what lay there before is less than rounding
const double kKeep = shadow_correlation(1, kStepsPerCorrelation);
const double kRenew = std::sqrt(1 - kKeep * kKeep);
const double kMidway = std::sqrt((1 + kKeep) / 2);                // deviation of the mean of two neighbours on the grid
constexpr double kAheadWithoutShadowing = 10;                     // m; as good as any
constexpr std::uint64_t kStreamSalt = 0x73'68'61'64'6F'77'00'00;  // "shadow": apart from the packets' draws

// Between two grid points, `part` of the way on: what lies on the line between them, widened so that its deviation is 1
// there as well.
double between(double here, double next, double part) {
  const double mixed = 1 - 2 * (1 - kKeep) * part * (1 - part);
  return (here + part * (next - here)) / std::sqrt(mixed);
}

// Of both neighbours, so that nothing between them is less than `least`.
double least_on_grid(double least) {
  return least < 0 ? least * kMidway : least;
}

}  // namespace

double shadow_correlation(double moved_m, double correlation_m) {
  return std::exp(-moved_m / correlation_m);
}

ShadowField::ShadowField(const Shadowing& shadowing, std::size_t pairs, std::uint64_t seed)
    : shadowing_(shadowing), seed_(seed ^ kStreamSalt) {
  if (shadowing.any()) {
    reserve_large_pages(walks_, pairs);
    walks_.resize(pairs);
  }
}

void ShadowField::update(const PairBatch& pairs, std::span<double> loss_db, Scratch& scratch) {
  assert(loss_db.size() == pairs.size);
  if (!any()) {
    std::fill(loss_db.begin(), loss_db.end(), 0.0);
    return;
  }
  const ShadowSpread spread[] = {shadowing_.nlos, shadowing_.los};
  const double steps_per_m[] = {kStepsPerCorrelation / spread[0].correlation_m,
                                kStepsPerCorrelation / spread[1].correlation_m};
  scratch.walkers.clear();
  scratch.steppers.clear();
  scratch.places.clear();
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const std::uint32_t pair = pairs.pair[i];
    const std::uint64_t line = pairs.line_of_sight[i];
    const Sight sight = line != 0 ? Sight::kLine : Sight::kNone;
    Walk& walk = walks_[pair];
    const double along = walk.part + pairs.moved_m[i] * steps_per_m[line];
    const bool walks = pairs.stride_m[i] * steps_per_m[line] <= kLeap * kStepsPerCorrelation;
    if (along < 1 && walk.sight == sight) {
      walk.part = along;
    } else if (along < 2 && walk.sight == sight && walks) {  // most that go over a grid point
      walk.part = along - 1;
      ++walk.step;
      scratch.steppers.push_back(pair);
      scratch.places.push_back(draw_of(pair, walk.step + 1));
    } else {
      begin_or_move(pair, along, !walks, sight, scratch.walkers);
    }
  }
  step_on(scratch);
  if (!scratch.walkers.empty()) {
    draw_afresh(scratch);
    walk_on(scratch);
  }
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const Walk& walk = walks_[pairs.pair[i]];
    loss_db[i] = spread[pairs.line_of_sight[i]].sigma.value * between(walk.here, walk.next, walk.part);
  }
}

double ShadowField::update(std::size_t pair, double moved_m, bool line_of_sight) {
  double loss_db = 0;
  update(PairBatch::one(pair, moved_m, line_of_sight), std::span(&loss_db, 1));
  return loss_db;
}

double ShadowField::leap_m() const {
  return kLeap * std::min(shadowing_.los.correlation_m, shadowing_.nlos.correlation_m);
}

void ShadowField::keep_ahead() {
  reserve_large_pages(ahead_, walks_.size());
  ahead_.resize(walks_.size());
}

double ShadowField::most_ahead_m(bool line_of_sight) const {
  const ShadowSpread& spread = line_of_sight ? shadowing_.los : shadowing_.nlos;
  return any() ? static_cast<double>(kAhead + 1) * spread.correlation_m / kStepsPerCorrelation : kAheadWithoutShadowing;
}

void ShadowField::look_ahead(std::span<Prospect> prospects, Scratch& scratch, const Below& below) {
  std::vector<Scratch::Looker>& lookers = scratch.lookers;
  lookers.clear();
  for (std::uint32_t i = 0; i < prospects.size(); ++i) {
    Prospect& prospect = prospects[i];
    if (!any()) {
      const Stretch whole{0, kAheadWithoutShadowing, 0};
      prospect.far_m = prospect.least <= 0 || (below && below(i, whole)) ? whole.end_m : 0;
      continue;
    }
    const Walk& walk = walks_[prospect.pair];
    const ShadowSpread& spread = prospect.line_of_sight ? shadowing_.los : shadowing_.nlos;
    lookers.push_back({.number = i,
                       .pair = prospect.pair,
                       .place = draw_of(prospect.pair, walk.step + 1),
                       .here = walk.here,
                       .next = walk.next,
                       .least = least_on_grid(prospect.least),
                       .done = -walk.part,
                       .grid_m = spread.correlation_m / kStepsPerCorrelation});
  }
  const auto drop_ended = [&] {
    std::erase_if(lookers, [&](Scratch::Looker& looker) { return !looks_on(looker, prospects[looker.number], below); });
  };
  drop_ended();
  for (std::uint32_t step = 1; step <= kAhead && !lookers.empty(); ++step) {
    scratch.make_room(lookers.size());
    for (std::size_t k = 0; k < lookers.size(); ++k) {
      DrawPlace& place = lookers[k].place;
      place.frame = static_cast<std::uint32_t>(place.frame + 1);  // a step begins again beyond 2^32
      scratch.places[k] = place;
    }
    draw_normals(scratch.places, scratch.draws);
    for (std::size_t k = 0; k < lookers.size(); ++k) {
      Scratch::Looker& looker = lookers[k];
      looker.here = looker.next;
      looker.next = kKeep * looker.here + kRenew * scratch.draws[k];
      looker.done += 1;
    }
    drop_ended();
  }
  for (const Scratch::Looker& looker : lookers) {
    ahead_[looker.pair] = {looker.here, looker.next, std::uint64_t{walks_[looker.pair].step} + 1};
  }
}

// Past the next grid point.
bool ShadowField::looks_on(const Scratch::Looker& looker, Prospect& prospect, const Below& below) {
  const double begin_m = std::max(looker.done, 0.0) * looker.grid_m;
  const double end_m = (looker.done + 1) * looker.grid_m;
  const double lower = std::min(looker.here, looker.next);
  const bool on =
      lower >= looker.least || (below && below(looker.number, {begin_m, end_m, lower < 0 ? lower / kMidway : lower}));
  prospect.far_m = on ? end_m : begin_m;
  return on;
}

void ShadowField::begin_or_move(std::uint32_t pair, double along, bool leaps, Sight sight,
                                std::vector<Scratch::Walker>& walkers) {
  Walk& walk = walks_[pair];
  if (walk.sight != sight) {
    walk.step = 0;
    ++walk.epoch;
    walk.sight = sight;
    walk.part = 0;
    if (!ahead_.empty()) {
      ahead_[pair] = {};
    }
    walkers.push_back({pair, 0, true});
    return;
  }
  constexpr double kMost = 1e15;                         // fits 64 bits
  const double bounded = along < kMost ? along : kMost;  // also when it is no number: an independent draw
  const double whole = std::floor(bounded);
  walk.part = bounded - whole;
  const auto steps = static_cast<std::uint64_t>(whole);
  if (leaps) {  // an independent draw costs less than walking there
    walk.step += static_cast<std::uint32_t>(steps);
    walkers.push_back({pair, 0, true});
  } else if (whole > kForgotten) {  // the last part of a long way determines the value
    const auto last = static_cast<std::uint64_t>(kForgotten);
    walk.step += static_cast<std::uint32_t>(steps - last);
    walk.here = walk.next = 0;
    walkers.push_back({pair, last, false});
  } else if (steps >= kAhead && !ahead_.empty() && ahead_[pair].from == std::uint64_t{walk.step} + 1) {
    walk.here = ahead_[pair].here;
    walk.next = ahead_[pair].next;
    walk.step += static_cast<std::uint32_t>(kAhead);
    walkers.push_back({pair, steps - kAhead, false});
  } else {
    walkers.push_back({pair, steps, false});
  }
}

void ShadowField::draw_afresh(Scratch& scratch) {
  scratch.places.clear();
  for (const Scratch::Walker& walker : scratch.walkers) {
    if (walker.afresh) {
      const std::uint32_t step = walks_[walker.pair].step;
      scratch.places.push_back(draw_of(walker.pair, step));
      scratch.places.push_back(draw_of(walker.pair, step + 1));
    }
  }
  scratch.draws.resize(scratch.places.size());
  draw_normals(scratch.places, scratch.draws);
  std::size_t drawn = 0;
  for (const Scratch::Walker& walker : scratch.walkers) {
    if (walker.afresh) {
      Walk& walk = walks_[walker.pair];
      walk.here = scratch.draws[drawn];
      walk.next = kKeep * scratch.draws[drawn] + kRenew * scratch.draws[drawn + 1];
      drawn += 2;
    }
  }
}

void ShadowField::step_on(Scratch& scratch) {
  scratch.draws.resize(scratch.places.size());
  draw_normals(scratch.places, scratch.draws);
  for (std::size_t i = 0; i < scratch.steppers.size(); ++i) {
    Walk& walk = walks_[scratch.steppers[i]];
    walk.here = walk.next;
    walk.next = kKeep * walk.here + kRenew * scratch.draws[i];
  }
}

void ShadowField::walk_on(Scratch& scratch) {
  for (;;) {  // one grid point of all that still have some to go, at a time
    std::erase_if(scratch.walkers, [](const Scratch::Walker& walker) { return walker.left == 0; });
    if (scratch.walkers.empty()) {
      return;
    }
    scratch.make_room(scratch.walkers.size());
    for (std::size_t i = 0; i < scratch.walkers.size(); ++i) {
      Scratch::Walker& walker = scratch.walkers[i];
      --walker.left;
      scratch.places[i] = draw_of(walker.pair, ++walks_[walker.pair].step + 1);
    }
    draw_normals(scratch.places, scratch.draws);
    for (std::size_t i = 0; i < scratch.walkers.size(); ++i) {
      Walk& walk = walks_[scratch.walkers[i].pair];
      walk.here = walk.next;
      walk.next = kKeep * walk.here + kRenew * scratch.draws[i];
    }
  }
}

DrawPlace ShadowField::draw_of(std::uint32_t pair, std::uint32_t step) const {
  return {seed_ + (std::uint64_t{walks_[pair].epoch} << 32), pair, step};
}

}  // namespace hilgate
