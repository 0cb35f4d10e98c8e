// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/running.h"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "gateway/configuration/configuration.h"

namespace hilgate {

std::filesystem::path running_gateway(const std::string& run) {
  if (!run.empty()) {
    return control_socket(run);
  }
  std::vector<std::filesystem::path> sockets;
  std::error_code none;  // no folder: nothing runs
  for (const auto& entry : std::filesystem::directory_iterator(control_folder(), none)) {
    if (entry.is_socket() && entry.path().extension() == ".sock") {
      sockets.push_back(entry.path());
    }
  }
  if (sockets.empty()) {
    throw std::runtime_error(fmt::format("no gateway is running (no socket in {})", control_folder().string()));
  }
  if (sockets.size() > 1) {
    std::string names;
    for (const auto& socket : sockets) {
      names += fmt::format("{}{}", names.empty() ? "" : ", ", socket.stem().string());
    }
    throw std::runtime_error(fmt::format("several gateways are running ({}); name one", names));
  }
  return sockets.front();
}

}  // namespace hilgate
