// SPDX-License-Identifier: Apache-2.0
// From a YAML file to a Configuration. examples/reference.yaml shows every key.
#pragma once

#include <filesystem>
#include <span>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/known_names.h"

namespace hilgate {

/// Reads and checks a file. Throws ConfigError with every fault in it, one per line.
Configuration load_configuration(const std::filesystem::path& file, const KnownNames& known);
/// The same of a text that is to be in that file.
Configuration parse_configuration(const std::string& text, const std::filesystem::path& file, const KnownNames& known);

/// The same for a document that has been parsed; relative paths start from where its file is. Faults stay in the
/// document until its finish(). Without `scenario:`.
Configuration read_configuration(YamlDocument& document, const KnownNames& known);

/// A scenario in a file of its own, about the robots of a configuration. Throws ConfigError with every fault in it.
Scenario load_scenario_for(const Configuration& configuration, const std::filesystem::path& file);
/// The same of a text, which faults call `name`.
Scenario parse_scenario_for(const Configuration& configuration, const std::string& text, const std::string& name);

/// Keys of earlier versions that have been renamed or have no effect any more. A key whose meaning has changed is not
/// listed: it stays an unknown key, and the new meaning has a new name.
std::span<const OldKey> old_keys();

}  // namespace hilgate
