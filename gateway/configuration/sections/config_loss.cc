// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_impairments.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

enum class Model { kIndependent, kBurst, kGilbertElliott, kFourState, kFading };

double probability(YamlReader& map, std::string_view key) {
  return map.required<Probability>(key).value;
}
double probability(YamlReader& map, std::string_view key, double otherwise) {
  return map.optional<Probability>(key, Probability{otherwise}).value;
}

BurstLoss read_burst(YamlReader& loss) {
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  BurstLoss burst{probability(loss, "probability"), require_within(loss, "min", kFrames).value_or(1),
                  require_within(loss, "max", kFrames).value_or(1'000'000)};
  if (burst.most < burst.least) {
    loss.fault("max", fmt::format("'{}' is less than min", burst.most));
  }
  return burst;
}

FourStateLoss read_four_state(YamlReader& loss) {
  const FourStateLoss model{probability(loss, "p13"), probability(loss, "p31"), probability(loss, "p32", 0),
                            probability(loss, "p23", 1), probability(loss, "p14", 0)};
  if (model.p13 + model.p14 > 1) {
    loss.fault("the sum of p13 and p14 exceeds 100 %; both leave state 1");
  }
  if (model.p31 + model.p32 > 1) {
    loss.fault("the sum of p31 and p32 exceeds 100 %; both leave state 3");
  }
  return model;
}

FadingLoss read_fading(YamlReader& loss) {
  constexpr Range<Hertz> kFrequency{{1e6}, {1e12}, "1 MHz to 1 THz"};
  constexpr Range<MetresPerSecond> kSpeed{{0.001}, {1000}, "0.001 m/s to 1000 m/s"};
  constexpr Range<Decibels> kThreshold{{-60}, {10}, "-60 dB to 10 dB, relative to the mean power"};
  const double frequency = require_within(loss, "frequency", kFrequency).value_or(Hertz{1e9}).value;
  const double speed = require_within(loss, "speed", kSpeed).value_or(MetresPerSecond{1}).value;
  const double threshold = require_within(loss, "threshold", kThreshold).value_or(Decibels{-10}).value;
  constexpr double kLightSpeed = 299'792'458;  // m/s
  return FadingLoss::rayleigh(speed * frequency / kLightSpeed, threshold, probability(loss, "bad", 1));
}

LossModel read_model(YamlReader& loss) {
  const Model model = loss.choice<Model>("model", {{"independent", Model::kIndependent},
                                                   {"burst", Model::kBurst},
                                                   {"gilbert_elliott", Model::kGilbertElliott},
                                                   {"four_state", Model::kFourState},
                                                   {"fading", Model::kFading}});
  switch (model) {
    case Model::kBurst:
      return read_burst(loss);
    case Model::kGilbertElliott:
      return GilbertElliottLoss{probability(loss, "to_bad"), probability(loss, "to_good"), probability(loss, "good", 0),
                                probability(loss, "bad", 1)};
    case Model::kFourState:
      return read_four_state(loss);
    case Model::kFading:
      return read_fading(loss);
    case Model::kIndependent:
      break;
  }
  return IndependentLoss{probability(loss, "probability")};
}

std::pair<unsigned, unsigned> parse_code(YamlReader& ber) {
  using Code = std::pair<unsigned, unsigned>;
  return ber.choice<Code>("code", {{"1/2", {1, 2}}, {"2/3", {2, 3}}, {"3/4", {3, 4}}, {"5/6", {5, 6}}}, Code{1, 2});
}

}  // namespace

std::optional<LossModel> read_loss(YamlReader& link) {
  auto loss = link.optional_child("loss");
  if (!loss) {
    return std::nullopt;
  }
  if (!loss->is_map()) {
    return IndependentLoss{probability(link, "loss")};
  }
  return read_model(*loss);
}

std::optional<BitErrors> read_bit_errors(YamlReader& link) {
  constexpr Range<double> kBer{0, 1, "0 to 1, for example 1e-5"};
  auto ber = link.optional_child("ber");
  if (!ber) {
    return std::nullopt;
  }
  if (!ber->is_map()) {
    return BitErrors{.rate = read_within(link, "ber", kBer).value_or(0)};
  }
  BitErrors errors{.rate = require_within(*ber, "rate", kBer).value_or(0)};
  errors.meaning = ber->choice<BerMeaning>(
      "meaning",
      {{"pre_arq", BerMeaning::kPreArq}, {"residual", BerMeaning::kResidual}, {"pre_fec", BerMeaning::kPreFec}},
      BerMeaning::kPreArq);
  if (errors.meaning == BerMeaning::kPreFec) {
    const auto [numerator, denominator] = parse_code(*ber);
    errors.code.numerator = numerator;
    errors.code.denominator = denominator;
    if (errors.rate > 0.5) {
      ber->fault("rate", fmt::format("'{}' is out of range; allowed in front of a decoder: 0 to 0.5", errors.rate));
    }
  }
  constexpr Range<double> kBurst{1, 100'000, "1 (independent errors) to 100000 bits"};
  errors.burst = read_within(*ber, "burst", kBurst).value_or(1);
  return errors;
}

}  // namespace hilgate
