// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frame/port_config.h"
#include "path/data_plane.h"
#include "xdp/af_xdp_port.h"

namespace hilgate {

/// What an AF_XDP port reports about itself, for people.
PortReport af_xdp_report(const PortConfig& config, const AfXdpPort& port);

}  // namespace hilgate
