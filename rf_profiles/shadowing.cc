// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/shadowing.h"

#include <algorithm>
#include <cmath>

#include "rf_profiles/normal.h"

namespace hilgate {
namespace {

constexpr double kStepsPerCorrelation = 100;
constexpr double kForgotten = 10 * kStepsPerCorrelation;  // e^-10: what lay there before does not matter any more
const double kKeep = shadow_correlation(1, kStepsPerCorrelation);
const double kRenew = std::sqrt(1 - kKeep * kKeep);
constexpr std::uint64_t kStreamSalt = 0x73'68'61'64'6F'77'00'00;  // "shadow": apart from the packets' draws

}  // namespace

double shadow_correlation(double moved_m, double correlation_m) {
  return std::exp(-moved_m / correlation_m);
}

ShadowField::ShadowField(const Shadowing& shadowing, std::size_t pairs, std::uint64_t seed)
    : shadowing_(shadowing), walks_(shadowing.any() ? pairs : 0), seed_(seed ^ kStreamSalt) {}

double ShadowField::update(std::size_t pair, double moved_m, bool line_of_sight) {
  if (walks_.empty()) {
    return 0;
  }
  Walk& walk = walks_[pair];
  const ShadowSpread& spread = line_of_sight ? shadowing_.los : shadowing_.nlos;
  if (!walk.begun || walk.line_of_sight != line_of_sight) {
    begin(walk, pair, line_of_sight);
  } else if (moved_m > 0) {
    move_on(walk, pair, moved_m / spread.correlation_m * kStepsPerCorrelation);
  }
  return spread.sigma_db * (walk.here + walk.part * (walk.next - walk.here));
}

void ShadowField::begin(Walk& walk, std::size_t pair, bool line_of_sight) const {
  walk = {.epoch = walk.epoch + 1, .line_of_sight = line_of_sight, .begun = true};
  walk.here = draw(walk, pair, 0);
  walk.next = kKeep * walk.here + kRenew * draw(walk, pair, 1);
}

void ShadowField::move_on(Walk& walk, std::size_t pair, double steps) const {
  const double along = walk.part + std::min(steps, 1e15);  // fits 64 bits
  const double whole = std::floor(along);
  walk.part = along - whole;
  auto left = static_cast<std::uint64_t>(whole);
  if (whole > kForgotten) {  // a jump: an independent draw costs less than walking there
    walk.step += left;
    left = 0;
    walk.here = draw(walk, pair, walk.step);
    walk.next = kKeep * walk.here + kRenew * draw(walk, pair, walk.step + 1);
  }
  for (; left > 0; --left) {
    ++walk.step;
    walk.here = walk.next;
    walk.next = kKeep * walk.here + kRenew * draw(walk, pair, walk.step + 1);
  }
}

double ShadowField::draw(const Walk& walk, std::size_t pair, std::uint64_t step) const {
  FrameRandom random(seed_ + (std::uint64_t{walk.epoch} << 32), static_cast<std::uint32_t>(pair), step);
  return draw_normal(random);
}

}  // namespace hilgate
