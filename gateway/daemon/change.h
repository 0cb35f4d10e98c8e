// SPDX-License-Identifier: Apache-2.0
// What may change while a gateway runs, and what of the simulation a change concerns.
#pragma once

#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/daemon/config_document.h"

namespace hilgate {

/// Throws std::runtime_error that names the first key that takes a restart: names, memory, loops, simulators; and with
/// external simulators also robots and windows, which they received at the start.
void check_change(const Configuration& running, const ConfigDocument& document, const Configuration& wanted,
                  const ConfigDocument& wanted_document);

/// All that the embedded simulators are made from, with the times of files as they are now. Where it stays the same
/// they continue with their state, for example the shadowing.
std::string world_of(const Configuration& configuration, const ConfigDocument& document);

}  // namespace hilgate
