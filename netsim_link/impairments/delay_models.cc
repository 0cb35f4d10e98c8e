// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/delay_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace hilgate {
namespace {

// Ornstein and Uhlenbeck's process, sampled when frames come: exact for any spacing.
double correlated_share(const Jitter& jitter, HostTime arrived, JitterState& state, double u) {
  const double fresh = normal_quantile(std::min(u, 1 - 0x1p-53));
  if (state.begun) {
    const auto since = static_cast<double>(std::max<std::int64_t>(0, (arrived - state.at).count()));
    const double kept = std::exp2(-since / static_cast<double>(jitter.half_life.count()));
    state.z = kept * state.z + std::sqrt(1 - kept * kept) * fresh;
  } else {
    state.z = fresh;
    state.begun = true;
  }
  state.at = arrived;
  return normal_probability(state.z);
}

}  // namespace

Nanoseconds NormalDelay::mean_delay() const {
  if (deviation.count() == 0) {
    return mean;
  }
  const auto m = static_cast<double>(mean.count());
  const auto s = static_cast<double>(deviation.count());
  const double z = m / s;
  return delay_of(m * normal_probability(z) + s * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi));
}

Nanoseconds ParetoDelay::mean_delay() const {
  if (least.count() == 0) {
    return least;
  }
  const auto from = static_cast<double>(least.count());
  const auto to = static_cast<double>(kLongestDelay.count());
  const double over = 1 - shape;
  return delay_of(from + (over == 0 ? from * std::log(to / from) : from * (std::pow(to / from, over) - 1) / over));
}

Nanoseconds TableDelay::mean_delay() const {
  double sum = 0;
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    sum += static_cast<double>((quantiles[i - 1] + quantiles[i]).count()) / 2;
  }
  return delay_of(sum / static_cast<double>(quantiles.size() - 1));
}

Nanoseconds Jitter::mean_delay() const {
  return std::visit([](const auto& chosen) { return chosen.mean_delay(); }, distribution);
}

Nanoseconds Jitter::memory_delay() const {
  constexpr double kMostFrames = 0.9;
  return std::visit([](const auto& chosen) { return chosen.quantile(kMostFrames); }, distribution);
}

void Jitter::retime(const ImpairedFrame& frame, State& state, FrameRandom& random, ImpairedTiming& timing) const {
  timing.delay += draw_delay(*this, frame.arrived, state, random);
  timing.loose = timing.loose || mode != JitterMode::kFifo;
}

Nanoseconds draw_delay(const Jitter& jitter, HostTime arrived, JitterState& state, FrameRandom& random) {
  double u = random.uniform();
  if (jitter.mode == JitterMode::kCorrelated) {
    u = correlated_share(jitter, arrived, state, u);
  }
  return std::visit([u](const auto& distribution) { return distribution.quantile(u); }, jitter.distribution);
}

std::optional<Reordering> Reordering::read(YamlReader& link) {
  auto reorder = link.optional_child(kKey);
  if (!reorder) {
    return std::nullopt;
  }
  return Reordering{reorder->required<Probability>("probability").value,
                    require_within(*reorder, "by", kDelayRange).value_or(Nanoseconds{0})};
}

std::optional<Duplication> Duplication::read(YamlReader& link) {
  auto duplicate = link.optional_child(kKey);
  if (!duplicate) {
    return std::nullopt;
  }
  if (!duplicate->is_map()) {
    return Duplication{link.required<Probability>(kKey).value, Nanoseconds{0}};
  }
  return Duplication{duplicate->required<Probability>("probability").value,
                     read_within(*duplicate, "after", kDelayRange).value_or(Nanoseconds{0})};
}

}  // namespace hilgate
