// SPDX-License-Identifier: Apache-2.0
// What a configuration lets know before it runs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/condition.h"
#include "netsim_link/air_plan.h"

namespace hilgate {

struct ExpectedCondition {
  Condition condition;
  int line = 0;  // in Configuration::file; 0: the file as a whole
};

/// Robots whose radios never hear any other's, and robots that start or pass under the ground or within an obstacle.
/// Throws what reading radio profiles throws.
std::vector<ExpectedCondition> expected_conditions(const Configuration& configuration);

/// The longest packet that every link from a robot carries, where its sender hears nothing of longer ones; nothing
/// where it carries any.
[[nodiscard]] std::optional<std::uint32_t> silent_mtu(const AirPlan& air, std::size_t ends, RobotIndex robot);

/// A robot that may send packets of `mtu` bytes, which its radio drops without a word; nothing where it does not.
[[nodiscard]] std::optional<Condition> mtu_condition(const Configuration& configuration, const AirPlan& air,
                                                     RobotIndex robot, std::uint32_t mtu);

/// What `hilgate check` says of all this: a line each, with its place.
std::vector<std::string> warnings(const Configuration& configuration, const AirPlan& air);

}  // namespace hilgate
