// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/scenario.h"

#include <fmt/format.h>

namespace hilgate {

std::vector<std::string> ScenarioStep::values(std::uint64_t time) const {
  std::vector<std::string> values = set;
  for (const Ramp& ramp : ramps) {
    values.push_back(ramp.assignment(times > 1 ? static_cast<double>(time) / static_cast<double>(times - 1) : 1.0));
  }
  return values;
}

std::string LinkChoice::text() const {
  if (!from && !to) {
    return "all links";
  }
  return fmt::format("{} > {}", from.value_or("*"), to.value_or("*"));
}

}  // namespace hilgate
