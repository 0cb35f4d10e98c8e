// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

namespace hilgate {

/// The ports of a status document, for people: a line for each, and one for each of what is known of its timestamps.
void write_ports(std::back_insert_iterator<std::string> out, const nlohmann::ordered_json& status);

}  // namespace hilgate
