// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config_file.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// More memory than is free: what keeps a configuration from running on this machine, and is known before.
std::vector<Fault> memory_faults(const Configuration& configuration);

/// That, processors that are not there, and a right to priorities that this process lacks.
std::vector<Fault> host_faults(const Configuration& configuration);

/// All of these, and interfaces that do not exist in this network namespace now: their robots would be unplugged.
std::vector<Fault> live_faults(const Configuration& configuration);

}  // namespace hilgate
