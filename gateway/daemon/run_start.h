// SPDX-License-Identifier: Apache-2.0
// What a run begins with: the configuration as its file has it, or as it is in the middle of the scenario.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/configuration/known_names.h"
#include "gateway/configuration/scenario/scenario_player.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/site/site_meeting.h"
#include "gateway/status/model/peer_status.h"
#include "host/companion/companion_process.h"
#include "host/file_descriptor.h"

namespace hilgate {

struct RunStart {
  Configuration configuration;
  ConfigDocument document;
  Simulation simulation;
  std::optional<ScenarioPlayer> scenario{};     // that has been played up to there; nothing: from the start
  FileDescriptor site_bus{};                    // of a gateway of a site: SiteBus
  std::vector<CompanionProcess*> companions{};  // that run in parallel to it, and outlive it
  std::function<FoxgloveStatus()> foxglove{};   // what one of them counts; empty without it
};

/// The beginning. Throws ConfigError or std::runtime_error for what cannot be simulated.
RunStart start_of(const Configuration& configuration);

/// The first window that does not begin before `from`. All windows up to there are computed one after the other, with
/// the steps of the scenario and without frames, so that tracks, shadowing, fading and access points are where they
/// would be; of the steps those after the window's beginning are left. Throws ConfigError where that cannot be done.
RunStart start_at(const Configuration& configuration, Nanoseconds from, const KnownNames& known);

/// A gateway of a site in which others have begun: at a window that comes in a second, with links as theirs are then.
RunStart start_in_site(const Configuration& configuration, const SiteBegun& site);

}  // namespace hilgate
