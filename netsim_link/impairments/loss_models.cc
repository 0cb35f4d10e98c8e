// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/loss_models.h"

#include <algorithm>
#include <cmath>

#include "config/model_table.h"
#include "config/range.h"
#include "config/yaml_reader.h"
#include "netsim_link/impairments/delay_models.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

// Draws of dwells: of the link's stream, in the upper half of frame numbers, which frames never reach.
FrameRandom dwell_random(std::uint64_t seed, std::uint32_t link, std::uint64_t dwell) {
  return {seed, link, (std::uint64_t{1} << 63) + dwell};
}

}  // namespace

bool TimedStates::bad_at(const ImpairedFrame& frame, State& state) const {
  if (bad.count() == 0) {
    return false;
  }
  if (!state.begun) {
    const auto share = static_cast<double>(bad.count()) / static_cast<double>((bad + good).count());
    FrameRandom first = dwell_random(frame.seed, frame.link, state.dwells++);
    state = {true, first.uniform() <= share, frame.arrived, state.dwells};
    state.until = frame.arrived + delay_of(first.exponential() * static_cast<double>((state.bad ? bad : good).count()));
  }
  while (frame.arrived >= state.until) {
    state.bad = !state.bad;
    FrameRandom next = dwell_random(frame.seed, frame.link, state.dwells++);
    const auto mean = static_cast<double>((state.bad ? bad : good).count());
    state.until += std::max(delay_of(next.exponential() * mean), Nanoseconds{1});
  }
  return state.bad;
}

void IndependentLoss::read(YamlReader& loss) {
  probability = loss.required<Probability>("probability").value;
}

void BurstLoss::read(YamlReader& loss) {
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  probability = loss.required<Probability>("probability").value;
  least = require_within(loss, "min", kFrames).value_or(1);
  most = require_within(loss, "max", kFrames).value_or(1'000'000);
  if (most < least) {
    loss.fault("max", fmt::format("'{}' is less than min", most));
  }
}

void GilbertElliottLoss::read(YamlReader& loss) {
  to_bad = loss.required<Probability>("to_bad").value;
  to_good = loss.required<Probability>("to_good").value;
  good_loss = loss.optional<Probability>("good", Probability{0}).value;
  bad_loss = loss.optional<Probability>("bad", Probability{1}).value;
}

void GilbertElliottTimeLoss::read(YamlReader& loss) {
  using namespace std::chrono_literals;
  constexpr Range<Nanoseconds> kStay{1us, 1h, "1us to 1h"};
  states.good = require_within(loss, "good_for", kStay).value_or(1s);
  states.bad = require_within(loss, "bad_for", kStay).value_or(1s);
  good_loss = loss.optional<Probability>("good", Probability{0}).value;
  bad_loss = loss.optional<Probability>("bad", Probability{1}).value;
}

void FourStateLoss::read(YamlReader& loss) {
  p13 = loss.required<Probability>("p13").value;
  p31 = loss.required<Probability>("p31").value;
  p32 = loss.optional<Probability>("p32", Probability{0}).value;
  p23 = loss.optional<Probability>("p23", Probability{1}).value;
  p14 = loss.optional<Probability>("p14", Probability{0}).value;
  if (p13 + p14 > 1) {
    loss.fault("the sum of p13 and p14 exceeds 100 %; both leave state 1");
  }
  if (p31 + p32 > 1) {
    loss.fault("the sum of p31 and p32 exceeds 100 %; both leave state 3");
  }
}

FadingLoss FadingLoss::rayleigh(Hertz doppler, Decibels threshold, double bad_loss) {
  const double rho = std::pow(10.0, threshold.value / 20);
  const double crossings = std::sqrt(2 * M_PI) * doppler.value * rho;  // per second, but for exp(-rho^2)
  return {.fades = {.good = std::max(delay_of(1e9 / crossings), Nanoseconds{1}),
                    .bad = delay_of(1e9 * std::expm1(rho * rho) / crossings)},
          .bad_loss = bad_loss};
}

void FadingLoss::read(YamlReader& loss) {
  constexpr Range<Hertz> kFrequency{{1e6}, {1e12}, "1 MHz to 1 THz"};
  constexpr Range<MetresPerSecond> kSpeed{{0.001}, {1000}, "0.001 m/s to 1000 m/s"};
  constexpr Range<Decibels> kThreshold{{-60}, {10}, "-60 dB to 10 dB, relative to the mean power"};
  const Hertz frequency = require_within(loss, "frequency", kFrequency).value_or(Hertz{1e9});
  const MetresPerSecond speed = require_within(loss, "speed", kSpeed).value_or(MetresPerSecond{1});
  const Decibels threshold = require_within(loss, "threshold", kThreshold).value_or(Decibels{-10});
  *this = rayleigh({speed.value * frequency.value / kLightSpeed}, threshold,
                   loss.optional<Probability>("bad", Probability{1}).value);
}

std::optional<LossModel> LossModel::read(YamlReader& link) {
  auto loss = link.optional_child(kKey);
  if (!loss) {
    return std::nullopt;
  }
  if (!loss->is_map()) {
    return IndependentLoss{link.required<Probability>(kKey).value};
  }
  LossModel model;
  static_cast<LossTable&>(model) = read_model<LossTable>(*loss, "model");
  return model;
}

bool LossModel::idle() const {
  const auto* const independent = std::get_if<IndependentLoss>(&table());
  return independent != nullptr && independent->probability <= 0;
}

}  // namespace hilgate
