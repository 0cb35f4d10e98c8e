// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gateway/lab/lab_plan.h"

namespace hilgate {

/// The id of the process that the robot is attached to, which runs and has a network namespace of its own. Requires
/// robot.attach. Throws std::runtime_error with what to do when no such process runs.
std::uint32_t process_of(const LabRobot& robot);

}  // namespace hilgate
