// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/control_refusal.h"

#include <nlohmann/json.hpp>

namespace hilgate {

nlohmann::ordered_json refusal(const std::string& why) {
  return {{"ok", false}, {"error", why}};
}

nlohmann::ordered_json refusal(const ConfigError& error) {
  nlohmann::ordered_json line = refusal(std::string(error.what()));
  for (const Fault& fault : error.faults()) {
    line["faults"].push_back({{"file", fault.file}, {"line", fault.line}, {"path", fault.path}, {"text", fault.text}});
  }
  return line;
}

}  // namespace hilgate
