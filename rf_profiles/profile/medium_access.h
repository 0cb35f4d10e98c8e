// SPDX-License-Identifier: Apache-2.0
// The section `mac` of a profile: each type of medium access with its own keys.
#pragma once

#include <string>

#include "config/yaml_reader.h"
#include "rf_profiles/profile/profile_modes.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// Longest of the spans that `mac` names.
inline constexpr Nanoseconds kLongestSpan{10'000'000'000};

/// Reads `type` and the keys of that type; those of other types are unknown keys. Modes get the timing of the type.
void read_medium_access(YamlReader& mac, RadioMac& out, ProfileModes& modes);

/// For people. For example: "csma, no hidden stations; no aggregation; rate ideal".
std::string medium_access_text(const RadioMac& mac);

}  // namespace hilgate
