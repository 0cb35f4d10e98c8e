// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/yaml_reader.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// What only some ways of access have of a profile's `mac`: elsewhere these keys are unknown. The way is in `out`.
void read_sharing(YamlReader& mac, RadioMac& out);

}  // namespace hilgate
