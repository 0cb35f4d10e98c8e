// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/profile/validation_text.h"

#include <fmt/format.h>

namespace hilgate {
namespace {

std::string length_text(Metres length) {
  return length.value >= 1000 ? fmt::format("{:g} km", length.value / 1000) : fmt::format("{:g} m", length.value);
}

std::string reference_name(const std::string& with) {
  return with == "ns3" ? "ns-3" : with == "closed_form" ? "closed form" : with;
}

}  // namespace

std::string validated_distance(const Validation& validation) {
  return fmt::format("{} to {}", length_text(validation.distance->first), length_text(validation.distance->second));
}

std::string validation_line(const Validation& validation) {
  if (validation.compared.empty()) {
    return "compared with nothing";
  }
  std::string text = "compared with ";
  for (const Comparison& one : validation.compared) {
    text += fmt::format("{}{}: {}, {} points, 95 % within {}", &one == validation.compared.data() ? "" : "; ",
                        reference_name(one.with), one.quantity, one.points, one.most);
  }
  if (validation.distance) {
    text += "; from " + validated_distance(validation);
  }
  if (!validation.rates.empty()) {
    text += "; rates " + validation.rates;
  }
  return text;
}

}  // namespace hilgate
