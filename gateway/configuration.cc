// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration.h"

#include <algorithm>

#include <cmath>

namespace hilgate {
namespace {

bool applies(const LinkOverride& change, RobotId from, RobotId to) {
  return change.from.value_or(from) == from && change.to.value_or(to) == to;
}

}  // namespace

LinkRules link_rules(const Configuration& configuration, RobotId from, RobotId to, LinkRules base) {
  for (const LinkOverride& change : configuration.links) {
    if (!applies(change, from, to)) {
      continue;
    }
    base.extra_delay = change.delay.value_or(base.extra_delay);
    base.loss = change.loss.value_or(base.loss);
    base.policy = change.policy.value_or(base.policy);
    if (change.ber) {
      base.extra_hazard.per_bit = -std::log1p(-*change.ber);
    }
  }
  return base;
}

const SimulatorConfig* physics_simulator(const Configuration& configuration) {
  return std::get_if<SimulatorConfig>(&configuration.foreign_physics);
}

const ForeignNetsimConfig* foreign_netsim(const Configuration& configuration) {
  return std::get_if<ForeignNetsimConfig>(&configuration.netsim);
}

bool has_fail_mode(const Configuration& configuration) {
  return std::any_of(configuration.ports.begin(), configuration.ports.end(),
                     [](const PortConfig& port) { return port.fail != FailMode::kNone; });
}

std::filesystem::path control_folder() {
  return "/run/hilgate";
}

std::filesystem::path control_socket(const std::string& run) {
  return control_folder() / (run + ".sock");
}

}  // namespace hilgate
