// SPDX-License-Identifier: Apache-2.0
// Robots as network namespaces on this machine, for SITL and tests. Needs CAP_SYS_ADMIN and CAP_NET_ADMIN.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "gateway/lab/lab_robot.h"

namespace hilgate {

/// What lab_up() has found and done, robots by name.
struct LabUp {
  std::vector<std::string> made, completed;  // the others were as they are to be
  std::vector<std::string> left_over;        // namespaces of robots that the plan does not have; they stay
};

/// Makes the namespaces and links that are missing, and leaves those that are there, with all that runs in them.
/// All or nothing: whatever fails, or a signal that asks to end, takes back what was made. Throws std::runtime_error,
/// also when something is there that differs and cannot be completed.
LabUp lab_up(const LabPlan& plan);

/// Removes what lab_up() made, also when it or the machine's user left only half of it. Returns false when there was
/// no lab. Throws std::runtime_error.
bool lab_down(const LabPlan& plan);

/// Becomes a command in a robot's namespace, where /etc/hosts has all robots' names, too; returns only by throwing.
/// CommandNotRun when there is no such program.
[[noreturn]] void lab_exec(const LabPlan& plan, const LabRobot& robot, const std::vector<std::string>& command);

/// The exit status that shells give a command that was not found (127) or not executable (126).
class CommandNotRun : public std::runtime_error {
 public:
  CommandNotRun(const std::string& what, int status) : std::runtime_error(what), status_(status) {}
  [[nodiscard]] int status() const { return status_; }

 private:
  int status_;
};

}  // namespace hilgate
