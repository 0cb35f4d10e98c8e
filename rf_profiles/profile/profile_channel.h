// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config/yaml_reader.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// Reads a profile's map `channel`: path loss, sight, shadowing, fading. Faults go to the reader.
RadioChannel read_channel(YamlReader channel);

}  // namespace hilgate
