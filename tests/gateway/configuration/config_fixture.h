// SPDX-License-Identifier: Apache-2.0
// A small good configuration that tests break in one place.
#pragma once

#include <string>
#include <vector>

#include "gateway/configuration/reader/configuration_reader.h"

namespace hilgate::test {

/// What a file may name in these tests: two radios, two materials.
KnownNames some_names();

/// A good file: two robots, embedded netsim, lab. 24 lines; tests count on their numbers.
std::string good_yaml();

/// The good file with its line `number` (from 1) replaced; lines in `text` may be several or none.
std::string with_line(int number, const std::string& text);

/// Reads `yaml` as file "f.yaml". Throws ConfigError.
Configuration read_yaml(const std::string& yaml);

/// Lines of the ConfigError; empty when the text is good.
std::vector<std::string> faults_in(const std::string& yaml);

}  // namespace hilgate::test
