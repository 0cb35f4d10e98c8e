// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "netsim_link/connection/network_codec.h"
#include "netsim_link/network_simulator.h"
#include "physics_link/connection/step_link.h"

namespace hilgate {

/// A network simulator at the other end of a socket, whatever it speaks.
class WireNetwork final : public NetworkSimulator {
 public:
  WireNetwork(asio::io_context& io, StepLinkOptions options, std::unique_ptr<NetworkCodec> codec,
              ConnectionReporter reporter);

  void open(Listener listener) override;
  void begin(const NetworkQuestion& question) override;
  void close() override;

  [[nodiscard]] const WireCounters& counters() const { return link_.counters(); }
  /// For listening on TCP port 0.
  [[nodiscard]] std::uint16_t local_port() { return link_.link().local_port(); }

 private:
  std::unique_ptr<NetworkCodec> codec_;
  Listener listener_;
  NetworkAnswer answer_;
  std::string body_;
  StepLink link_;
};

}  // namespace hilgate
