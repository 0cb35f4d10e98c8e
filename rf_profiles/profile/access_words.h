// SPDX-License-Identifier: Apache-2.0
// How a radio gets at its medium, in words for people.
#pragma once

#include <string>

#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// For example: "csma, no hidden stations; no aggregation; rate ideal".
std::string access_words(const RadioMac& mac);

}  // namespace hilgate
