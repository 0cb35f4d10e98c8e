// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "clock/time.h"

namespace hilgate {

/// Something about a run that people must know to believe its results: what is wrong, or differs from what the
/// configuration says. docs/conditions.md has all of them.
struct Condition {
  std::string name;       // its kind, for programs: "simulator_silent"
  std::string about{};    // robot, port or simulator; of one kind there is one about each; may be empty
  std::string text;       // one line for people: what, where, what to do
  bool is_logged = true;  // false: who found it tells the log
  Nanoseconds lasts{0};   // shown so long after it was last seen: for what is measured over some time
};

}  // namespace hilgate
