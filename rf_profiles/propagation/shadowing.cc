// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/shadowing.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace hilgate {
namespace {

constexpr double kStepsPerCorrelation = 100;
constexpr double kLeap = 10;                              // correlation distances: e^-10
constexpr double kForgotten = 40 * kStepsPerCorrelation;  // steps: e^-40 of what lay there before is less than rounding
const double kKeep = shadow_correlation(1, kStepsPerCorrelation);
const double kRenew = std::sqrt(1 - kKeep * kKeep);
constexpr std::uint64_t kStreamSalt = 0x73'68'61'64'6F'77'00'00;  // "shadow": apart from the packets' draws

}  // namespace

double shadow_correlation(double moved_m, double correlation_m) {
  return std::exp(-moved_m / correlation_m);
}

ShadowField::ShadowField(const Shadowing& shadowing, std::size_t pairs, std::uint64_t seed)
    : shadowing_(shadowing), seed_(seed ^ kStreamSalt) {
  if (shadowing.any()) {
    here_.resize(pairs);
    next_.resize(pairs);
    part_.resize(pairs);
    sight_.resize(pairs, Sight::kUnknown);
    walks_.resize(pairs);
  }
}

void ShadowField::update(const PairBatch& pairs, std::span<double> loss_db) {
  assert(loss_db.size() == pairs.size);
  if (!any()) {
    std::fill(loss_db.begin(), loss_db.end(), 0.0);
    return;
  }
  const ShadowSpread spread[] = {shadowing_.nlos, shadowing_.los};
  const double steps_per_m[] = {kStepsPerCorrelation / spread[0].correlation_m,
                                kStepsPerCorrelation / spread[1].correlation_m};
  walkers_.clear();
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const std::uint32_t pair = pairs.pair[i];
    const std::uint64_t line = pairs.line_of_sight[i];
    const Sight sight = line != 0 ? Sight::kLine : Sight::kNone;
    const double along = part_[pair] + pairs.moved_m[i] * steps_per_m[line];
    if (along < 1 && sight_[pair] == sight) {
      part_[pair] = along;
    } else {
      const bool walks = pairs.stride_m[i] * steps_per_m[line] <= kLeap * kStepsPerCorrelation;
      begin_or_move(pair, along, !walks, sight);
    }
  }
  if (!walkers_.empty()) {
    draw_afresh();
    walk_on();
  }
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const std::uint32_t pair = pairs.pair[i];
    loss_db[i] = spread[pairs.line_of_sight[i]].sigma.value * (here_[pair] + part_[pair] * (next_[pair] - here_[pair]));
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

void ShadowField::begin_or_move(std::uint32_t pair, double along, bool leaps, Sight sight) {
  Walk& walk = walks_[pair];
  if (sight_[pair] != sight) {
    walk = {.step = 0, .epoch = walk.epoch + 1};
    sight_[pair] = sight;
    part_[pair] = 0;
    walkers_.push_back({pair, 0, true});
    return;
  }
  constexpr double kMost = 1e15;                         // fits 64 bits
  const double bounded = along < kMost ? along : kMost;  // also when it is no number: an independent draw
  const double whole = std::floor(bounded);
  part_[pair] = bounded - whole;
  const auto steps = static_cast<std::uint64_t>(whole);
  if (leaps) {  // an independent draw costs less than walking there
    walk.step += steps;
    walkers_.push_back({pair, 0, true});
  } else if (whole > kForgotten) {  // the last part of a long way says all
    const auto last = static_cast<std::uint64_t>(kForgotten);
    walk.step += steps - last;
    here_[pair] = next_[pair] = 0;
    walkers_.push_back({pair, last, false});
  } else {
    walkers_.push_back({pair, steps, false});
  }
}

void ShadowField::draw_afresh() {
  places_.clear();
  for (const Walker& walker : walkers_) {
    if (walker.afresh) {
      const std::uint64_t step = walks_[walker.pair].step;
      places_.push_back(draw_of(walker.pair, step));
      places_.push_back(draw_of(walker.pair, step + 1));
    }
  }
  draws_.resize(places_.size());
  draw_normals(places_, draws_);
  std::size_t drawn = 0;
  for (const Walker& walker : walkers_) {
    if (walker.afresh) {
      here_[walker.pair] = draws_[drawn];
      next_[walker.pair] = kKeep * draws_[drawn] + kRenew * draws_[drawn + 1];
      drawn += 2;
    }
  }
}

void ShadowField::walk_on() {
  for (;;) {  // one grid point of all that still have some to go, at a time
    std::erase_if(walkers_, [](const Walker& walker) { return walker.left == 0; });
    if (walkers_.empty()) {
      return;
    }
    places_.clear();
    for (Walker& walker : walkers_) {
      --walker.left;
      places_.push_back(draw_of(walker.pair, ++walks_[walker.pair].step + 1));
    }
    draws_.resize(places_.size());
    draw_normals(places_, draws_);
    for (std::size_t i = 0; i < walkers_.size(); ++i) {
      const std::uint32_t pair = walkers_[i].pair;
      here_[pair] = next_[pair];
      next_[pair] = kKeep * here_[pair] + kRenew * draws_[i];
    }
  }
}

DrawPlace ShadowField::draw_of(std::uint32_t pair, std::uint64_t step) const {
  return {seed_ + (std::uint64_t{walks_[pair].epoch} << 32), pair, step};
}

}  // namespace hilgate
