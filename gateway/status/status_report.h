// SPDX-License-Identifier: Apache-2.0
// What `hilgate status` shows: built by the gateway as JSON, drawn by the command as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/planes/robot_slots.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/telemetry.h"
#include "gateway/status/air_meter.h"
#include "gateway/status/link_meter.h"
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
  nlohmann::ordered_json clock;        // of clock_status()
  nlohmann::ordered_json captures;     // of Captures::status()
  nlohmann::ordered_json record;       // of Recorder::status()
  nlohmann::ordered_json scenario;     // of scenario_status()
  const std::vector<Conditions::Standing>& conditions;
  const std::vector<std::string>& assignments;  // by `hilgate set`, in force
  std::vector<std::string> robots;              // whose links are asked for; empty: all, without those of no use
};

/// Keys are part of the interface that scripts rely on; new ones may come, none changes its meaning.
nlohmann::ordered_json status_json(const StatusInputs& inputs);

/// What it has under `totals`.
nlohmann::ordered_json totals_status(const PathTotals& totals, const std::vector<PortReport>& ports);

/// The same for people, as tables.
std::string status_text(const nlohmann::ordered_json& status);

}  // namespace hilgate
