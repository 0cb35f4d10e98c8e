// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/configuration.h"

#include <algorithm>
#include <utility>

#include "gateway/configuration/bodies.h"
#include "gateway/configuration/link_overrides.h"

namespace hilgate {

LinkRules link_rules(const Configuration& configuration, RobotIndex from, RobotIndex to, LinkRules base) {
  const LinkOverrides overrides(configuration);
  return SenderRules(overrides, from).to(to, std::move(base));
}

const SimulatorConfig* physics_simulator(const Configuration& configuration) {
  return std::get_if<SimulatorConfig>(&configuration.external_physics);
}

const ExternalNetsimConfig* external_netsim(const Configuration& configuration) {
  const JudgedRobots* some = judged_robots(configuration);
  return some != nullptr ? &some->netsim : std::get_if<ExternalNetsimConfig>(&configuration.netsim);
}

const JudgedRobots* judged_robots(const Configuration& configuration) {
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  return embedded != nullptr && embedded->judged ? &*embedded->judged : nullptr;
}

bool is_judged(const Configuration& configuration, RobotIndex robot) {
  const JudgedRobots* some = judged_robots(configuration);
  return some == nullptr || std::ranges::find(some->robots, robot) != some->robots.end();
}

bool judged_by_packet(const Configuration& configuration) {
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  return (netsim != nullptr && netsim->by_packet) || air_in_sim_time(configuration);
}

bool air_in_sim_time(const Configuration& configuration) {
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  return configuration.pace == Pace::kLockstep && (netsim == nullptr || !netsim->by_packet);
}

const AccessNetworkConfig* access_network(const Configuration& configuration) {
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  return embedded != nullptr && !embedded->network.access_points.empty() ? &embedded->network : nullptr;
}

std::size_t link_ends(const Configuration& configuration) {
  const AccessNetworkConfig* network = access_network(configuration);
  return configuration.robots.size() + (network != nullptr ? network->access_points.size() : 0);
}

bool are_linked(const Configuration& configuration, RobotIndex from, RobotIndex to) {
  const RobotConfig& sender = configuration.robots[from.value()];
  const RobotConfig& receiver = configuration.robots[to.value()];
  const bool apart = configuration.ports[sender.port.value()].isolated || sender.vlan != 0;
  return !share_body(sender, receiver) && (receiver.port != sender.port || apart);
}

std::vector<std::size_t> core_of_ports(const Configuration& configuration) {
  std::vector<std::size_t> cores(configuration.ports.size());
  for (std::size_t core = 0; core < configuration.cores.size(); ++core) {
    for (const PortIndex port : configuration.cores[core].ports) {
      cores[port.value()] = core;
    }
  }
  return cores;
}

const GatewayConfig* own_gateway(const Configuration& configuration) {
  const auto& site = configuration.site;
  return site && site->own ? &site->gateways[*site->own] : nullptr;
}

bool radios_may_meet(const Configuration& configuration) {
  const bool radios = std::holds_alternative<EmbeddedConfig>(configuration.netsim);
  return radios && configuration.site && configuration.site->media == SiteMedia::kShared;
}

bool is_air_external(const Configuration& configuration) {
  return configuration.external_physics.index() != 0 || configuration.vehicles ||
         external_netsim(configuration) != nullptr;
}

std::vector<bool> robots_here(const Configuration& configuration) {
  std::vector<bool> here;
  if (own_gateway(configuration) == nullptr || is_air_external(configuration)) {
    return here;  // one gateway publishes all links for all
  }
  // Frames of radios that meet those of other gateways are decided at one gateway, by the links of all of them.
  // Stations send by access points, which are at no gateway.
  if (!radios_may_meet(configuration) && access_network(configuration) == nullptr) {
    for (const RobotConfig& robot : configuration.robots) {
      here.push_back(configuration.ports[robot.port.value()].gateway == *configuration.site->own);
    }
  }
  return here;
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
