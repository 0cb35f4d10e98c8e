// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// Rules of `next` that `running` has, too (same robots by name, same filter), count on where those are, and links
/// remember what they did of them.
void take_over_counts(const Configuration& running, Configuration& next);

/// The names of a rule's ends, "*" for every robot.
std::vector<std::string> end_names(const Configuration& configuration, const std::vector<RobotIndex>& ends);

}  // namespace hilgate
