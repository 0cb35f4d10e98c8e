// SPDX-License-Identifier: Apache-2.0
// Cursor on Target: the base schema, version 2.0 (MITRE, MTR 010185, "Cursor-on-Target Message Router User's Guide",
// appendix A; Event.xsd), and of its details `contact` and `track` as TAK's programs read them.
#pragma once

#include <optional>
#include <string>

#include "clock/time.h"
#include "gateway/configuration/telemetry_config.h"
#include "gateway/run/telemetry/ground_motion.h"
#include "physics_link/mavlink/geodetic.h"

namespace hilgate {

/// Where a robot is at one instant.
struct CotEvent {
  const CotRobotConfig& robot;
  Nanoseconds utc{0};    // since 1970; events have milliseconds
  Nanoseconds stale{0};  // the event is valid so long
  mavlink::Geodetic place{};
  std::optional<GroundMotion> motion{};
};

/// One event as an XML document, UTF-8. `how` is m-s, simulated by a machine; the circular error is 0. The height is
/// that of the configuration's origin and upwards, whose datum is not known: its error is 9999999, the schema's
/// unknown.
std::string cot_event(const CotEvent& event);

}  // namespace hilgate
