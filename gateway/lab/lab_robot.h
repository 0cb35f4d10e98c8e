// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/lab/lab_plan.h"

namespace hilgate {

/// Makes a robot's veth pair into its namespace, which exists, and sets both ends up: offloads off and proven off,
/// addresses, MTU, an XDP program at the robot's end (see attach_pass_program). Throws std::runtime_error.
void make_lab_link(const LabPlan& plan, const LabRobot& robot);

/// Removes the pair at once, both ends; nothing happens when it is gone. (With the namespace alone it would go
/// too, but some time later.)
void remove_lab_link(const std::string& netns);

}  // namespace hilgate
