// SPDX-License-Identifier: Apache-2.0
// Gateways with simulators beside them, as people start both.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/netns/running_gateway.h"

namespace hilgate::test {

/// Sockets for one gateway and its simulators: nobody else's.
class SimulatorSockets {
 public:
  SimulatorSockets();
  ~SimulatorSockets();
  SimulatorSockets(const SimulatorSockets&) = delete;
  SimulatorSockets& operator=(const SimulatorSockets&) = delete;

  [[nodiscard]] std::string physics() const { return "unix:" + folder_ + "/physics"; }
  [[nodiscard]] std::string netsim() const { return "unix:" + folder_ + "/netsim"; }

  /// `hilgate sim KIND --protocol PROTOCOL`, with the addresses of a NetLab of `robots` robots.
  [[nodiscard]] std::unique_ptr<Process> start(const std::string& kind, const std::string& protocol, std::size_t robots,
                                               const std::vector<std::string>& further = {}) const;

 private:
  std::string folder_;
};

/// Waits until windows follow each other; the last answer.
GatewayStatus windows_running(const RunningGateway& gateway, std::uint64_t window = 1);

}  // namespace hilgate::test
