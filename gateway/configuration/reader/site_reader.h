// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/known_names.h"

namespace hilgate {

/// `site:`, and with it the run's name; before ports, which name their gateways.
void read_site(YamlReader& root, const KnownNames& known, Configuration& configuration);
/// What does not go together with a site; all other sections have been read.
void check_site(YamlReader& root, const Configuration& configuration);

}  // namespace hilgate
