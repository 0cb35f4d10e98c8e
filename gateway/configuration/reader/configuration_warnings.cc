// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/reader/configuration_warnings.h"

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
  for (const ServeConfig& serve : configuration.clock.serve) {
    for (const std::string& about_serving : warnings_of(serve, configuration.dilate_ppm)) {
      found.push_back(fmt::format("{}:{}: clock.serve: {}", configuration.file.string(), serve.line, about_serving));
    }
  }
  return found;
}

}  // namespace hilgate
