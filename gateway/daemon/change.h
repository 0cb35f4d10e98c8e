// SPDX-License-Identifier: Apache-2.0
// What may change while a gateway runs, and what of the simulation a change concerns.
#pragma once

#include <string>
#include <vector>

#include "config/config_file.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"

namespace hilgate {

/// Whether physics or netsim are in other programs, or robots report their own positions.
bool has_external_simulator(const Configuration& configuration);

/// Throws std::runtime_error that names the first key that takes a restart: names, memory, loops, simulators; and with
/// external simulators also robots and windows, which they received at the start.
void check_change(const Configuration& running, const ConfigDocument& document, const Configuration& wanted,
                  const ConfigDocument& wanted_document);

/// The configuration of a document, for a run that continues: checked by check_change(), with the memory that is
/// allocated. Throws ConfigError and what that throws.
Configuration read_change(const Configuration& running, const ConfigDocument& document,
                          const ConfigDocument& wanted_document, const KnownNames& known);

/// Of what is set, KEY=VALUE: throws std::runtime_error for keys that another program reads from the file, which a
/// reload may change.
void check_set(const std::vector<std::string>& assignments);

/// What operators receive of a fault: of other files than the configuration's own not what is there.
std::string text_for_operators(const Fault& fault, const Configuration& configuration);

/// All that the embedded simulators are made from, with the times of files as they are now. Where it stays the same
/// they continue with their state, for example the shadowing.
std::string world_of(const Configuration& configuration, const ConfigDocument& document);

}  // namespace hilgate
