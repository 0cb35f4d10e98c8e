// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gateway/lab/lab_plan.h"

namespace hilgate {

/// The number of the process that the robot is attached to, which runs and has a network namespace of its own. Requires
/// robot.attach. Throws std::runtime_error that says what to do when there is none.
std::uint32_t process_of(const LabRobot& robot);

}  // namespace hilgate
