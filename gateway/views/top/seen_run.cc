// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/seen_run.h"

namespace hilgate {

std::uint64_t total_of(const DropCounts& drops) {
  std::uint64_t total = 0;
  for (const auto& [reason, count] : drops) {
    total += count;
  }
  return total;
}

const nlohmann::ordered_json& part_of(const nlohmann::ordered_json& document, const char* key) {
  static const nlohmann::ordered_json kNothing = nlohmann::ordered_json::object();
  const auto found = document.find(key);
  return found == document.end() ? kNothing : *found;
}

}  // namespace hilgate
