// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "gateway/lab/lab_plan.h"

namespace hilgate {

/// Makes a robot's veth pair into its namespace, which exists, and sets both ends up: offloads off and proven off,
/// addresses, MTU, an XDP program at the robot's end (see attach_pass_program). Throws std::runtime_error.
/// `made(index)` is called with the index of the robot's end as soon as there is one.
void make_lab_link(const LabPlan& plan, const LabRobot& robot, const std::function<void(unsigned)>& made);

/// The differences of the robot's end, which is up, from the plan: addresses, MTU, MAC address; empty: no difference.
/// In the robot's namespace.
std::string difference_of_robot_end(const LabPlan& plan, const LabRobot& robot);

/// Adds what is missing at both ends. Other additions stay. Throws std::runtime_error.
void complete_lab_link(const LabPlan& plan, const LabRobot& robot);

/// Removes the pair with the end `interface` at once, both ends; nothing happens when it is gone, or when the interface
/// has another index than `index`, where that is not 0. (With the namespace alone it would go too, but some time
/// later.)
void remove_lab_link(const std::string& netns, const std::string& interface, unsigned index);

}  // namespace hilgate
