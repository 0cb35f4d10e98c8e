// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/configuration.h"

#include <algorithm>
#include <memory>
#include <utility>
namespace hilgate {
namespace {

bool applies(const LinkOverride& change, RobotId from, RobotId to) {
  return change.from.value_or(from) == from && change.to.value_or(to) == to;
}

template <class T>
void take(std::optional<T>& value, const std::optional<T>& change) {
  if (change) {
    value = change;
  }
}

void lay_over(const LinkOverride& change, LinkRules& rules, Impairments& impairments) {
  if (change.delay) {
    rules.extra_delay = change.delay->base;
    impairments.jitter = change.delay->jitter;
  }
  if (change.ber) {
    rules.extra_hazard = error_hazard(*change.ber);
    rules.burst_continues = 1 - 1 / change.ber->burst;
  }
  rules.policy = change.policy.value_or(rules.policy);
  rules.protect_headers = change.protect_headers.value_or(rules.protect_headers);
  impairments.outages = change.outages.value_or(impairments.outages);
  take(impairments.loss, change.loss);
  take(impairments.rate, change.rate);
  take(impairments.reordering, change.reorder);
  take(impairments.duplication, change.duplicate);
}

// A link whose only impairment is a loss of 0 % is as fast as one without.
bool changes_anything(const Impairments& impairments) {
  const auto* independent = impairments.loss ? std::get_if<IndependentLoss>(&*impairments.loss) : nullptr;
  const bool loses = impairments.loss && (independent == nullptr || independent->probability > 0);
  return loses || !impairments.outages.empty() || impairments.rate || impairments.jitter || impairments.reordering ||
         impairments.duplication;
}

}  // namespace

LinkRules link_rules(const Configuration& configuration, RobotId from, RobotId to, LinkRules base) {
  Impairments impairments;
  for (const LinkOverride& change : configuration.links) {
    if (applies(change, from, to)) {
      lay_over(change, base, impairments);
    }
  }
  if (changes_anything(impairments)) {
    base.impairments = std::make_shared<const Impairments>(std::move(impairments));
  }
  return base;
}

const SimulatorConfig* physics_simulator(const Configuration& configuration) {
  return std::get_if<SimulatorConfig>(&configuration.external_physics);
}

const ExternalNetsimConfig* external_netsim(const Configuration& configuration) {
  return std::get_if<ExternalNetsimConfig>(&configuration.netsim);
}

const AccessNetworkConfig* access_network(const Configuration& configuration) {
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  return embedded != nullptr && !embedded->network.access_points.empty() ? &embedded->network : nullptr;
}

std::size_t link_ends(const Configuration& configuration) {
  const AccessNetworkConfig* network = access_network(configuration);
  return configuration.robots.size() + (network != nullptr ? network->access_points.size() : 0);
}

std::vector<std::size_t> core_of_ports(const Configuration& configuration) {
  std::vector<std::size_t> cores(configuration.ports.size());
  for (std::size_t core = 0; core < configuration.cores.size(); ++core) {
    for (const PortId port : configuration.cores[core].ports) {
      cores[port.value()] = core;
    }
  }
  return cores;
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
