// SPDX-License-Identifier: Apache-2.0
#include "gateway/commands/status.h"

#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>
#include <vector>

#include "gateway/configuration.h"
#include "gateway/daemon/control_client.h"
#include "gateway/daemon/status_report.h"

namespace hilgate {
namespace {

// The socket of the run by this name, or of the only run there is.
std::filesystem::path choose_socket(const std::string& run) {
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
    throw std::runtime_error(fmt::format("several gateways are running ({}); say which one", names));
  }
  return sockets.front();
}

}  // namespace

int status_command(const StatusOptions& options) {
  const auto status = control_request(choose_socket(options.run), {{"command", "status"}});
  fmt::print("{}", options.json ? status.dump(2) + "\n" : status_text(status));
  return 0;
}

}  // namespace hilgate
