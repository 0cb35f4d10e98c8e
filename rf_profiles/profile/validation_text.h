// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// "10 m to 5 km"; the distances at which the profile's path loss was compared. Requires that there are any.
[[nodiscard]] std::string validated_distance(const Validation& validation);

/// "compared with ns-3: path loss, 42 points, 95 % within 0.0001 dB; from 10 m to 5 km; rates mcs0 to mcs7", or
/// "compared with nothing"; a line without an end.
[[nodiscard]] std::string validation_line(const Validation& validation);

}  // namespace hilgate
