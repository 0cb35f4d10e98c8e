// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/bodies.h"

namespace hilgate {

Bodies::Bodies(const std::vector<RobotConfig>& radios) {
  for (std::uint32_t i = 0; i < radios.size(); ++i) {
    if (names_.empty() || names_.back() != radios[i].body) {
      names_.push_back(radios[i].body);
      first_.push_back(RobotIndex{i});
    }
    of_radios_.push_back(static_cast<std::uint32_t>(names_.size() - 1));
  }
}

std::vector<std::string> names_in_physics(const Configuration& configuration) {
  const Bodies bodies(configuration.robots);
  std::vector<std::string> names;
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    names.push_back(configuration.robots[bodies.first_radio(body).value()].physics_id.value_or(bodies.names()[body]));
  }
  return names;
}

std::vector<std::string> names_in_netsim(const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotConfig& radio : configuration.robots) {
    names.push_back(radio.physics_id.value_or(radio.body) + radio.name.substr(radio.body.size()));
  }
  return names;
}

}  // namespace hilgate
