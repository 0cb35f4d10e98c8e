// SPDX-License-Identifier: Apache-2.0
// The status of a run, made from its parts by the gateway, and drawn by the command as text.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/telemetry.h"
#include "gateway/status/meters.h"
#include "gateway/status/model/run_status.h"
#include "path/data_plane.h"

namespace hilgate {

/// What measures a run.
struct Meters {
  const AirMeter& air;
  const LinkMeter& links;
};

struct StatusInputs {
  const Configuration& configuration;
  const AirPlan& air;
  Meters meters;
  const RobotSlots& slots;
  const DataPlane& plane;
  const PathTotals& totals;
  const Windows& windows;
  const Telemetry& telemetry;
  Nanoseconds uptime;
  std::uint64_t outside_map;           // Netsim::outside_map()
  std::vector<RobotIndex> unoriented;  // Netsim::unoriented()
  std::vector<FarPairs> far_pairs;     // Netsim::far_pairs()
  const ClockReportStatus& clock;
  std::optional<CaptureStatus> capture;
  std::optional<RecorderStatus> record;
  std::optional<ScenarioStatus> scenario;
  std::optional<FoxgloveStatus> foxglove;
  std::optional<std::vector<DlepStatus>> dlep;
  const std::vector<Conditions::Standing>& conditions;
  const std::vector<std::string>& assignments;  // by `hilgate set`, in force
  std::vector<std::string> robots;              // whose links are asked for; empty: all, without those of no use
};

RunStatus run_status(const StatusInputs& inputs);

std::vector<std::string> names_of(const std::vector<RobotIndex>& robots, const Configuration& configuration);

/// Its totals.
TotalsStatus totals_status(const PathTotals& totals, const std::vector<PortReport>& ports);

/// The document for people, as tables.
std::string status_text(const StatusJson& status);

}  // namespace hilgate
