// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_checks.h"
#include "gateway/configuration/sections/config_impairments.h"

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

}  // namespace hilgate
