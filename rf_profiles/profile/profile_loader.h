// SPDX-License-Identifier: Apache-2.0
// Radio profiles in YAML, one file each. rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml shows every key.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// Reads a profile and checks it. Throws ConfigError with every fault: unknown keys, missing units, values out of
/// range, modes that do not exist, provenance of keys that are not there.
RadioProfile load_radio_profile(const std::string& file);

/// The same from text; `file` names it in faults, and its stem must be the profile's id.
RadioProfile parse_radio_profile(const std::string& text, const std::string& file);

/// The file of the profile called `name` in the first of `folders` that has it (NAME.yaml). Throws
/// std::runtime_error that names the folders and the nearest known profile.
std::string find_radio_profile(std::string_view name, std::span<const std::string> folders);

/// Names of all profiles in `folders`, sorted, each once.
std::vector<std::string> radio_profile_names(std::span<const std::string> folders);

}  // namespace hilgate
