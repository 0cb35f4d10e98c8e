// SPDX-License-Identifier: Apache-2.0
#include "tests/netns/simulator_rig.h"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>

namespace hilgate::test {

SimulatorSockets::SimulatorSockets() {
  static std::atomic<unsigned> count = 0;
  folder_ = std::filesystem::temp_directory_path() / fmt::format("hgt-sim-{}-{}", ::getpid(), ++count);
  std::filesystem::create_directories(folder_);
}

SimulatorSockets::~SimulatorSockets() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::unique_ptr<Process> SimulatorSockets::start(const std::string& kind, const std::string& protocol,
                                                 std::size_t robots, const std::vector<std::string>& further) const {
  std::vector<std::string> argv = {hilgate_program(),
                                   "sim",
                                   kind,
                                   "--protocol",
                                   protocol,
                                   "--socket",
                                   kind == "physics" ? physics() : netsim(),
                                   "--robots",
                                   std::to_string(robots)};
  if (kind == "network" && protocol == "rosnetsim") {
    for (std::size_t n = 0; n < robots; ++n) {
      argv.insert(argv.end(), {"--ip", NetLab::ipv4(n)});
    }
  }
  argv.insert(argv.end(), further.begin(), further.end());
  return std::make_unique<Process>(argv);
}

GatewayStatus windows_running(const RunningGateway& gateway, std::uint64_t window) {
  return gateway.status_when([window](const GatewayStatus& now) { return now.window("number") >= window; });
}

}  // namespace hilgate::test
