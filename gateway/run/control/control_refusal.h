// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "config/config_error.h"

namespace hilgate {

/// The line of an answer that says no.
nlohmann::ordered_json refusal(const std::string& why);
/// With where the configuration is wrong.
nlohmann::ordered_json refusal(const ConfigError& error);

}  // namespace hilgate
