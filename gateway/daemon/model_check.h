// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate {

/// What only shows when the models are built: faults within profiles, radios that do not go together. Throws
/// ConfigError.
Simulation try_models(const Configuration& configuration);

}  // namespace hilgate
