// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace hilgate {

/// What figures depend on beside the program: model and number of processors, the kernel, the load of the last minute.
nlohmann::ordered_json measured_host();

}  // namespace hilgate
