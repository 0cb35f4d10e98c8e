// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rf_profiles/fit/link_fit.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// A file that lies next to a profile.
struct ProfileTable {
  std::string file;  // its name
  std::string csv;
};

/// A profile as text, with the antenna pattern and the error table next to it.
struct FittedProfile {
  std::string yaml;
  std::vector<ProfileTable> tables{};
  std::vector<std::string> notes{};  // what it has of the reception, or why it has nothing: a sentence each
};

/// What a fit is written as.
struct FittedName {
  std::string id;
  std::string log;  // the file of the measurement, for titles and sources
  bool is_snr = false;
  std::string mode{};                          // that the losses are of; empty: the base's only one
  std::optional<std::uint32_t> frame_bytes{};  // length of the frames; absent: as the log has it, or any
};

/// The base profile with what `fit` has measured: path loss, offset, shadowing, fading and antenna pattern, with their
/// provenance; and, where the log has losses and the base's modes take a table, the measured loss by SNR as the error
/// table of one mode, with which the radio sends from then on. Losses after all tries become those of one try, as if
/// tries were lost independently. The table has fading in it, which then is left out of the channel. Offsets that a
/// path loss has no key for are in `phy.antenna_gain.rx`. Throws std::runtime_error where the level is so far from the
/// base's power that the base cannot be this radio, and for a mode that the base has not.
FittedProfile fitted_profile(const RadioProfile& base, const LinkFit& fit, const FittedName& name);

}  // namespace hilgate
