// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/known_names.h"
#include "gateway/run/planes/robot_slots.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate {

/// For an answer of the packet loop, which takes one iteration, a few microseconds. A sanitized build on a busy machine
/// may be descheduled.
inline constexpr std::chrono::milliseconds kPathPatience{500};

/// The configuration in force and what was made from it. The parts of a running gateway refer to it; ConfigChange alone
/// replaces its contents, keeping its address. Control thread.
struct RunningConfiguration {
  KnownNames known;
  Configuration configuration;
  ConfigDocument document;
  std::string world;  // world_of() these, as of when the simulation was made
  Simulation simulation;
  RobotSlots slots;
};

}  // namespace hilgate
