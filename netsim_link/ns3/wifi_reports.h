// SPDX-License-Identifier: GPL-2.0-only
#pragma once

#include <optional>

#include <ns3/wifi-net-device.h>

#include "netsim_link/ns3/fates.h"

namespace hilgate::ns3net {

/// What a Wi-Fi device's layers report becomes known to `fates`, which must outlive the simulation. `robot` is empty
/// for access points, whose receptions are no robot's.
void report_wifi(ns3::Ptr<ns3::WifiNetDevice> device, Fates& fates, std::optional<RobotIndex> robot);

}  // namespace hilgate::ns3net
