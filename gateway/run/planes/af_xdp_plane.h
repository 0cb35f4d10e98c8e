// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "path/data_plane.h"
#include "path/ports/port_plan.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// A packet path on AF_XDP ports. Opens the interfaces that the configuration names; throws std::runtime_error with the
/// port, what is wrong with it and what would be right. `clock` must outlive the plane.
std::unique_ptr<DataPlane> make_af_xdp_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock);

}  // namespace hilgate
