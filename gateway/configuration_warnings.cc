// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration_warnings.h"

#include <fmt/format.h>

namespace hilgate {

std::vector<std::string> warnings(const Configuration& configuration) {
  std::vector<std::string> found;
  for (const PortConfig& port : configuration.ports) {
    if (const std::string_view about_ptp = warning(port.ptp); !about_ptp.empty()) {
      found.push_back(
          fmt::format("{}:{}: port '{}': {}", configuration.file.string(), port.line, port.name, about_ptp));
    }
  }
  return found;
}

}  // namespace hilgate
