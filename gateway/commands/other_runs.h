// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "config/config_error.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

/// What other gateways of this machine have of what a configuration asks for: its name, interfaces in this network
/// namespace, devices of DPDK; with who they are. Asks each of them. Gateways that do not answer, or may not be asked
/// by this user, are left out.
std::vector<Fault> taken_by_other_runs(const Configuration& configuration);

}  // namespace hilgate
