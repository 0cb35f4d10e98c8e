// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "config/units.h"
#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/profile/rate_table.h"

namespace hilgate {

/// An SINR below which no radio receives anything, which stands for no signal.
inline constexpr Decibels kNoSignal{-100};

/// The SINR that stands for each channel quality indicator of a receiver, by CQI: the least at which the sender picks,
/// of the modes that its rate control takes, the most efficient one that is not above the CQI's efficiency, or its most
/// robust mode where all are above. A report promises no more than that. CQI 0 is out of range: kNoSignal.
///
/// Efficiencies are those of 3GPP TS 36.213, table 7.2.3-1, which are those of TS 38.214, table 5.2.2.1-2. A mode has
/// RadioMode::efficiency, or its rate over the bandwidth of the channel. Requires `rates` to be of the profile.
std::array<Decibels, 16> cqi_levels(const RadioProfile& profile, const RateTable& rates);

}  // namespace hilgate
