// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/running.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"

namespace hilgate {

std::filesystem::path running_gateway(const std::string& run) {
  if (!run.empty()) {
    return control_socket(run);
  }
  std::vector<std::string> runs = runs_of_this_machine();
  if (runs.size() > 1) {
    // Gateways that were killed leave their sockets.
    std::erase_if(runs, [](const std::string& name) { return !is_listened_to(control_socket(name)); });
  }
  if (runs.empty()) {
    throw std::runtime_error(
        fmt::format("no gateway is running (no socket in {} has one behind it)", control_folder().string()));
  }
  if (runs.size() > 1) {
    throw std::runtime_error(fmt::format("several gateways are running ({}); name one", fmt::join(runs, ", ")));
  }
  return control_socket(runs.front());
}

std::vector<std::string> runs_of_this_machine() {
  std::vector<std::string> runs;
  std::error_code none;  // no folder: nothing runs
  for (const auto& entry : std::filesystem::directory_iterator(control_folder(), none)) {
    std::error_code gone;
    if (entry.is_socket(gone) && entry.path().extension() == ".sock") {
      runs.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(runs);
  return runs;
}

}  // namespace hilgate
