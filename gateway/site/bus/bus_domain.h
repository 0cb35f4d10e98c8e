// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dds/dds.h>

#include <string>

#include "gateway/site/bus_settings.h"

namespace hilgate::bus {

/// DDS between the gateways of sites: ports 26660 to 26697 of UDP, from its number by the rule of RTPS (OMG
/// formal/22-04-01, 9.6.2.3), below those that Linux gives away by itself.
inline constexpr dds_domainid_t kDomain = 77;

/// The configuration of Cyclone DDS: on the interface that has the gateway's address, from address to address without
/// multicast. Gateways on loopback addresses are all at 127.0.0.1. Throws std::runtime_error where no interface has it.
std::string domain_configuration(const BusSettings& settings);

/// The entity. Throws std::runtime_error that names `what` when DDS refused to make it.
dds_entity_t made(dds_entity_t entity, const std::string& what);

}  // namespace hilgate::bus
