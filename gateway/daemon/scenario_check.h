// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/known_names.h"

namespace hilgate {

/// Whether the steps of the scenario, where there is one, can be carried out one after the other: what they set is a
/// good configuration, and may change at run time. Throws ConfigError with the lines of those that cannot.
void check_scenario(const Configuration& configuration, const KnownNames& known);

}  // namespace hilgate
