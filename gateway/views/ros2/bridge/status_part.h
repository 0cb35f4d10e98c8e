// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace hilgate::ros2 {

/// A number of a part of the status document; 0 when absent, as infinite values are.
inline double number_in(const nlohmann::json& part, const char* key) {
  const auto found = part.find(key);
  return found != part.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace hilgate::ros2
