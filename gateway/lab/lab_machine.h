// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gateway/lab/lab_keeper.h"
#include "gateway/lab/lab_robot.h"

namespace hilgate {

/// Where a lab has what belongs to the machines that it has started: for a robot, ROBOT.output and ROBOT.end, as those
/// of a KeptProgram, ROBOT.console, the socket of a virtual machine's console, and ROBOT, a container's bundle.
std::filesystem::path machine_folder(const std::string& lab);

/// What a robot's machine is for people: "virtual machine", "container". Requires robot.machine.
std::string machine_kind(const LabRobot& robot);

/// Throws std::runtime_error with what to do when something that the robot's machine is made of is missing or cannot be
/// used: a program, a file, an image. Requires robot.machine.
void check_machine(const LabRobot& robot);

/// What runs the robot's machine, whose files in machine_folder() are made by this. Requires robot.machine, checked.
/// Throws std::runtime_error.
KeptProgram program_of_machine(const LabPlan& plan, const LabRobot& robot);

/// The program that keeps a container's state, "runc", "crun" or "podman"; empty for a virtual machine.
std::string engine_of_machine(const LabRobot& robot);

/// Ends a container, whose name is that of its namespace, and forgets it. Nothing happens when it is absent.
void remove_container(const std::string& engine, const std::string& name);

/// How a machine has ended, for people; `keeper` is that of its program. Empty: it runs.
std::string end_of_machine(const std::string& lab, const LabRobot& robot, const KeptProcess& keeper);

}  // namespace hilgate
