// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/reader/configuration_reader.h"

namespace hilgate {

/// Search path of radio profiles, in this order: `configured`, then share/hilgate/profiles next to the bin directory of
/// this program (a build tree has the same shape as an installation).
std::vector<std::string> profile_folders(const std::vector<std::filesystem::path>& configured);

/// What a configuration has of a radio profile.
struct RadioFacts {
  RadioRate rate;
  dis::Emission emission;  // how the radio sends
};
/// Of the profile called `name` in one of `folders`; nothing where it cannot be read.
std::optional<RadioFacts> radio_facts(const std::string& name, const std::vector<std::string>& folders);

/// What rf_profiles knows: its built-in materials, and the profiles in profile_folders(). `gateway`: of a site; empty:
/// none.
KnownNames known_names(const std::string& gateway = {});

}  // namespace hilgate
