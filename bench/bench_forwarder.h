// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <thread>

#include "bench/bench_network.h"
#include "bench/bench_processors.h"
#include "xdp/xsk_forwarder.h"

namespace hilgate {

/// The yardstick at work: the plainest AF_XDP forwarder between the ports, in a thread of its own.
class BenchForwarder {
 public:
  BenchForwarder(const BenchNetwork& network, const BenchProcessors& processors) {
    const NetnsScope here = network.enter_gateway();
    forwarder_.emplace(BenchNetwork::port(0), BenchNetwork::port(1), XdpMode::kAuto);
    thread_ = std::jthread([this, &processors](const std::stop_token& stop) {
      processors.go_forwarding();
      while (!stop.stop_requested()) {
        forwarder_->iterate();
      }
    });
  }

 private:
  std::optional<XskForwarder> forwarder_;
  std::jthread thread_;
};

}  // namespace hilgate
