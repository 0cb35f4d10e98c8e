// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/flow_counts.h"

#include <algorithm>

namespace hilgate {

std::vector<std::string> end_names(const Configuration& configuration, const std::vector<RobotIndex>& ends) {
  std::vector<std::string> names;
  for (const RobotIndex robot : ends) {
    names.push_back(configuration.robots[robot.value()].name);
  }
  return names.empty() ? std::vector<std::string>{"*"} : names;
}

void take_over_counts(const Configuration& running, Configuration& next) {
  for (FlowOverride& flow : next.flows) {
    const auto same = std::ranges::find_if(running.flows, [&](const FlowOverride& known) {
      return known.rule.filter.text() == flow.rule.filter.text() &&
             end_names(running, known.from) == end_names(next, flow.from) &&
             end_names(running, known.to) == end_names(next, flow.to);
    });
    if (same != running.flows.end()) {
      flow.rule.matched = same->rule.matched;
    }
  }
}

}  // namespace hilgate
