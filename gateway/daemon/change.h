// SPDX-License-Identifier: Apache-2.0
// What may change while a gateway runs, and what of the simulation a change concerns.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "config/config_file.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/known_names.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/time/run_clock.h"
#include "path/data_plane.h"

namespace hilgate {

/// Throws std::runtime_error that names the first key that takes a restart: names, memory, loops, simulators; and with
/// external simulators also robots and windows, which they received at the start.
void check_change(const Configuration& running, const ConfigDocument& document, const Configuration& wanted,
                  const ConfigDocument& wanted_document);

/// The configuration of a document, for a run that continues: checked by check_change(), with the memory that is
/// allocated. Throws ConfigError and what that throws.
Configuration read_change(const Configuration& running, const ConfigDocument& document,
                          const ConfigDocument& wanted_document, const KnownNames& known);

/// Of what is set, KEY=VALUE: throws std::runtime_error for keys that another program reads from the file, which a
/// reload may change.
void check_set(const std::vector<std::string>& assignments);

/// What operators receive of a fault: of other files than the configuration's own not what is there.
std::string text_for_operators(const Fault& fault, const Configuration& configuration);

/// All that the embedded simulators are made from, with the times of files as they are now. Where it stays the same
/// they continue with their state, for example the shadowing.
std::string world_of(const Configuration& configuration, const ConfigDocument& document);

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

/// Changes the configuration of a running gateway: everything is built and checked first, then the packet path changes
/// between two iterations, and the rest follows. What throws before that leaves everything as it was. Control thread.
class ConfigChange {
 public:
  /// The gateway that changes; all of it outlives this.
  struct Run {
    RunningConfiguration& running;
    DataPlane& plane;
    Windows& windows;
    RunClock& clock;
    RunObserver& observers;
    /// The gateway has changed from this configuration, with these slots.
    std::function<void(const Configuration& before, const RobotSlots& slots)> changed;
  };

  explicit ConfigChange(Run run) : run_(std::move(run)) {}

  /// Continues with another configuration. Throws ConfigError or std::runtime_error with what is wrong with it.
  void change(const ConfigDocument& document);
  /// As change(), by KEY=VALUE each. Errors in other files than the configuration's own have their location, and not
  /// the text of those files.
  void set(const std::vector<std::string>& values);
  /// As change(), to what ConfigDocument::standing() returned.
  void take_back(const std::vector<std::string>& before);
  /// As change(), to the configuration's file; values that were set are as in the file again.
  void reload();

 private:
  struct Wanted;
  [[nodiscard]] Wanted wanted_of(const ConfigDocument& document) const;

  Run run_;
};

}  // namespace hilgate
