// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/expected_conditions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/conditions/name_list.h"
#include "gateway/run/conditions/place_conditions.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

// Radios hear those of their own domain alone.
void expect_deaf(const Configuration& configuration, std::vector<ExpectedCondition>& found) {
  const auto folders = profile_folders(configuration.profile_paths);
  std::map<std::string, std::string> domains;  // by profile
  std::map<std::string, std::vector<std::string>> robots;
  int line = 0;
  for (const RobotConfig& robot : configuration.robots) {
    if (robot.radio.empty()) {
      continue;
    }
    auto& domain = domains[robot.radio];
    if (domain.empty()) {
      domain = load_radio_profile(find_radio_profile(robot.radio, folders)).mac.domain;
    }
    robots[domain].push_back(robot.name);
    line = robots.size() > 1 && line == 0 ? robot.line : line;
  }
  if (robots.size() < 2) {
    return;
  }
  std::string text;
  for (const auto& [domain, names] : robots) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : "; ", domain, name_list(names));
  }
  found.push_back({{.name = "radios_deaf",
                    .text = fmt::format("robots: radios of different media do not hear one another: {}", text)},
                   line});
}

void expect_misplaced(const Configuration& configuration, std::vector<ExpectedCondition>& found) {
  if (!configuration.physics) {
    return;
  }
  const std::vector<Track>& tracks = configuration.physics->tracks;
  for (std::size_t i = 0; i < std::min(tracks.size(), configuration.robots.size()); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    for (const Waypoint& waypoint : tracks[i]) {
      if (const std::string fault = fault_of_place(configuration, waypoint.position); !fault.empty()) {
        found.push_back(
            {{.name = "robot_misplaced", .about = robot.name, .text = fmt::format("robot {}: {}", robot.name, fault)},
             robot.line});
        break;
      }
    }
  }
}

}  // namespace

std::vector<ExpectedCondition> expected_conditions(const Configuration& configuration) {
  std::vector<ExpectedCondition> found;
  if (std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    if (access_network(configuration) == nullptr) {
      expect_deaf(configuration, found);
    }
    expect_misplaced(configuration, found);
  }
  return found;
}

std::optional<std::uint32_t> silent_mtu(const AirPlan& air, std::size_t ends, RobotIndex robot) {
  std::optional<std::uint32_t> least;
  const bool tells =
      robot.value() < air.stations.size() && air.stations[robot.value()] && air.stations[robot.value()]->icmp_mtu > 0;
  for (std::uint32_t to = 0; !tells && to < ends; ++to) {
    const LinkRules& rules = air.rules[link_of(robot, RobotIndex{to}, ends).value()];
    if (to != robot.value() && rules.mtu_bytes > 0) {
      least = std::min(least.value_or(rules.mtu_bytes), rules.mtu_bytes);
    }
  }
  return least;
}

std::optional<Condition> mtu_condition(const Configuration& configuration, const AirPlan& air, RobotIndex robot,
                                       std::uint32_t mtu) {
  const auto carried = silent_mtu(air, link_ends(configuration), robot);
  if (!carried || mtu <= *carried) {
    return std::nullopt;
  }
  const std::string& name = configuration.robots[robot.value()].name;
  return Condition{
      .name = "mtu_too_large",
      .about = name,
      .text = fmt::format("robot {}: its interface takes packets of up to {} B, its radio {} B: longer ones are "
                          "dropped as too_long; set {} to {} B",
                          name, mtu, *carried, configuration.lab ? "lab.mtu" : "the interface's MTU", *carried)};
}

std::vector<std::string> warnings(const Configuration& configuration, const AirPlan& air) {
  std::vector<ExpectedCondition> found = expected_conditions(configuration);
  for (std::uint32_t i = 0; configuration.lab && i < configuration.robots.size(); ++i) {
    if (auto condition = mtu_condition(configuration, air, RobotIndex{i}, configuration.lab->mtu)) {
      found.push_back({std::move(*condition), configuration.robots[i].line});
    }
  }
  std::vector<std::string> lines;
  for (const ExpectedCondition& expected : found) {
    lines.push_back(fmt::format("{}{}: {}", configuration.file.string(),
                                expected.line > 0 ? fmt::format(":{}", expected.line) : "", expected.condition.text));
  }
  return lines;
}

}  // namespace hilgate
