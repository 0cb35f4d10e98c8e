// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "gateway/lab/lab_plan.h"

namespace hilgate {

struct LabRobotState {
  std::string robot;
  std::string problem;  // empty: as lab_up() made it
};

/// How the lab is now, its robots in the plan's order; empty when there is none. Needs CAP_SYS_ADMIN, as lab_up().
/// Throws std::runtime_error when its record cannot be understood.
std::optional<std::vector<LabRobotState>> lab_state(const LabPlan& plan);

}  // namespace hilgate
