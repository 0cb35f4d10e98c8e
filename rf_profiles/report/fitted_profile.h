// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "rf_profiles/fit/link_fit.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// A profile as text, and the antenna pattern next to it.
struct FittedProfile {
  std::string yaml;
  std::string antenna_file{};  // its name next to the profile; empty: no pattern
  std::string antenna_csv{};
};

/// What a fit is written as.
struct FittedName {
  std::string id;
  std::string log;  // the file of the measurement, for titles and sources
  bool is_snr = false;
};

/// The base profile with what `fit` has measured: path loss, offset, shadowing, fading and antenna pattern, with their
/// provenance. Offsets that a path loss has no key for are in `phy.antenna_gain.rx`. Throws std::runtime_error where
/// the level is so far from the base's power that the base cannot be this radio.
FittedProfile fitted_profile(const RadioProfile& base, const LinkFit& fit, const FittedName& name);

}  // namespace hilgate
