// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "path/data_plane.h"
#include "path/ports/port_plan.h"

namespace hilgate {

/// Ports that are serial lines, together with network interfaces, in one memory and one path. The clock must outlive
/// the plane. Throws std::runtime_error.
std::unique_ptr<DataPlane> make_serial_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock);

}  // namespace hilgate
