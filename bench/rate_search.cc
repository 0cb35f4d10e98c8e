// SPDX-License-Identifier: Apache-2.0
#include "bench/rate_search.h"

#include <algorithm>

namespace hilgate {

bool RateSearch::holds(double rate, double loss) {
  Seen& seen = seen_[rate];
  const std::size_t majority = settings_.trials / 2 + 1;
  for (;;) {
    const auto good = static_cast<std::size_t>(
        std::count_if(seen.losses.begin(), seen.losses.end(), [loss](double one) { return one <= loss; }));
    if (good >= majority) {
      return true;
    }
    if (seen.losses.size() - good >= majority) {
      return false;
    }
    const RateTrial trial = device_(rate);
    ++trials_;
    seen.offered = std::max(seen.offered, trial.offered);
    seen.losses.push_back(trial.loss);
  }
}

// Of a device that is not the same at every trial a rate may hold above one that does not: the lower one counts.
RateSearch::Bounds RateSearch::known(double loss) {
  Bounds bounds{0, seen_[settings_.most].offered};
  std::vector<double> rates;
  for (const auto& [rate, seen] : seen_) {
    if (rate < bounds.upper) {
      rates.push_back(rate);
    }
  }
  for (const double rate : rates) {
    if (!holds(rate, loss)) {
      bounds.upper = rate;
      break;
    }
    bounds.lower = rate;
  }
  return bounds;
}

double RateSearch::next(const Bounds& bounds, double guess) const {
  const bool guess_is_new = guess > bounds.lower && guess < bounds.upper && seen_.find(guess) == seen_.end();
  if (guess_is_new && guess > settings_.least) {
    return guess;
  }
  return bounds.lower > 0 ? (bounds.lower + bounds.upper) / 2 : bounds.upper / 2;
}

FoundRate RateSearch::highest(double loss) {
  if (holds(settings_.most, loss)) {
    return {seen_[settings_.most].offered, true};
  }
  const Seen& top = seen_[settings_.most];
  const double forwarded = top.offered * (1 - *std::min_element(top.losses.begin(), top.losses.end()));
  Bounds bounds = known(loss);
  while (bounds.upper > settings_.least && bounds.lower < bounds.upper * (1 - settings_.precision)) {
    const double rate = next(bounds, forwarded);
    if (!holds(rate, loss)) {
      bounds.upper = rate;
      continue;
    }
    const double offered = seen_[rate].offered;
    if (offered < rate * (1 - settings_.precision)) {
      return {offered, true};
    }
    bounds.lower = rate;
  }
  return {bounds.lower, false};
}

}  // namespace hilgate
