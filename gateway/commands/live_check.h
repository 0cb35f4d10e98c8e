// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config_error.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// What is wrong with a configuration on this machine, in this network namespace, now: interfaces that do not exist or
/// are down, a processor that is not there. Empty when it could run.
std::vector<Fault> live_faults(const Configuration& configuration);

}  // namespace hilgate
