// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config_error.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// Processors that are not there: what keeps a configuration from running on this machine, and is known before.
std::vector<Fault> processor_faults(const Configuration& configuration);

/// More memory than is free: likewise.
std::vector<Fault> memory_faults(const Configuration& configuration);

/// Both, and interfaces that do not exist in this network namespace now: their robots would be unplugged.
std::vector<Fault> live_faults(const Configuration& configuration);

}  // namespace hilgate
