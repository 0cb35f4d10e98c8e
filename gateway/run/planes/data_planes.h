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

/// A packet path on the kind of ports that the configuration names. Throws std::runtime_error with the port, what is
/// wrong with it and what would be right; also when this build has no DPDK and the ports need it.
std::unique_ptr<DataPlane> make_data_plane(const Configuration& configuration, const PathSettings& settings,
                                           const PortPlan& ports, const TscClock& clock);

/// Ports that are serial lines, together with network interfaces, in one memory and one path. The clock must outlive
/// the plane. Throws std::runtime_error.
std::unique_ptr<DataPlane> make_serial_plane(const Configuration& configuration, const PathSettings& settings,
                                             const PortPlan& ports, const TscClock& clock);

/// A packet path on DPDK devices. Starts DPDK, once per process; throws std::runtime_error with the port, what is wrong
/// with it and what would be right. `clock` must outlive the plane.
std::unique_ptr<DataPlane> make_dpdk_plane(const Configuration& configuration, const PathSettings& settings,
                                           const PortPlan& ports, const TscClock& clock);

}  // namespace hilgate
