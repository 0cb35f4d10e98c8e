// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_impairments.h"

#include <algorithm>

#include "gateway/configuration/sections/config_checks.h"

namespace hilgate {
namespace {

std::pair<unsigned, unsigned> parse_code(YamlReader& ber) {
  using Code = std::pair<unsigned, unsigned>;
  return ber.choice<Code>("code", {{"1/2", {1, 2}}, {"2/3", {2, 3}}, {"3/4", {3, 4}}, {"5/6", {5, 6}}}, Code{1, 2});
}

}  // namespace

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

namespace {

using namespace std::chrono_literals;

enum class Law { kUniform, kNormal, kPareto, kTable };

UniformDelay read_uniform(YamlReader& delay) {
  UniformDelay uniform{require_within(delay, "min", kDelayRange).value_or(0ns),
                       require_within(delay, "max", kDelayRange).value_or(kLongestDelay)};
  if (uniform.most < uniform.least) {
    delay.fault("max", fmt::format("'{}' is less than min", delay.required<std::string>("max")));
  }
  return uniform;
}

TableDelay read_table(YamlReader& delay) {
  TableDelay table{delay.list<Nanoseconds>("quantiles")};
  const auto outside = [](Nanoseconds value) { return value < kDelayRange.low || value > kDelayRange.high; };
  if (table.quantiles.size() < 2) {
    delay.fault(
        "needs at least two `quantiles`: the shortest and the longest delay, with the others at equal steps of "
        "probability between them");
    table.quantiles = {0ns, 0ns};
  } else if (!std::is_sorted(table.quantiles.begin(), table.quantiles.end())) {
    delay.fault("quantiles", "must not decrease");
  } else if (std::any_of(table.quantiles.begin(), table.quantiles.end(), outside)) {
    delay.fault("quantiles", "are out of range; allowed: 0s to 1h");
  }
  return table;
}

DelayDistribution read_distribution(YamlReader& delay, Law law) {
  constexpr Range<double> kShape{0.1, 100, "0.1 to 100; the mean exists above 1"};
  switch (law) {
    case Law::kUniform:
      return read_uniform(delay);
    case Law::kNormal:
      return NormalDelay{require_within(delay, "mean", kDelayRange).value_or(0ns),
                         require_within(delay, "deviation", kDelayRange).value_or(0ns)};
    case Law::kPareto:
      return ParetoDelay{require_within(delay, "min", kDelayRange).value_or(0ns),
                         require_within(delay, "shape", kShape).value_or(3)};
    case Law::kTable:
      return read_table(delay);
  }
  return UniformDelay{};
}

}  // namespace

std::optional<DelayConfig> read_delay(YamlReader& link) {
  auto delay = link.optional_child("delay");
  if (!delay) {
    return std::nullopt;
  }
  if (!delay->is_map()) {
    return DelayConfig{read_within(link, "delay", kDelayRange).value_or(0ns), std::nullopt};
  }
  DelayConfig config{read_within(*delay, "base", kDelayRange).value_or(0ns), Jitter{}};
  const Law law = delay->choice<Law>(
      "distribution",
      {{"uniform", Law::kUniform}, {"normal", Law::kNormal}, {"pareto", Law::kPareto}, {"table", Law::kTable}});
  config.jitter->distribution = read_distribution(*delay, law);
  config.jitter->mode = delay->choice<JitterMode>(
      "jitter",
      {{"fifo", JitterMode::kFifo}, {"independent", JitterMode::kIndependent}, {"correlated", JitterMode::kCorrelated}},
      JitterMode::kFifo);
  if (config.jitter->mode == JitterMode::kCorrelated) {
    constexpr Range<Nanoseconds> kHalfLife{1ns, kLongestDelay, "1ns to 1h"};
    config.jitter->half_life = require_within(*delay, "half_life", kHalfLife).value_or(1s);
  }
  return config;
}

}  // namespace hilgate
