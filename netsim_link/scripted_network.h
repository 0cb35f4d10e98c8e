// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "netsim_link/network_simulator.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// A network simulator for tests and first tries: the same delay, loss and bit error rate for every packet. A
/// broadcast reaches all robots but its sender. Losses are a function of the seed, the packet and the receiver.
class ScriptedNetwork final : public NetworkSimulator {
 public:
  struct Script {
    std::uint32_t robots = 2;
    Nanoseconds delay{0};  // from capture to release
    double loss = 0;       // probability, [0, 1]
    double ber = 0;        // [0, 1)
    std::uint64_t seed = 1;
  };

  /// Throws std::runtime_error for a number outside its range.
  explicit ScriptedNetwork(const Script& script);

  void open(Listener listener) override;
  void begin(const NetworkQuestion& question) override;
  void close() override {}

 private:
  void decide(const CapturedPacket& packet, RobotIndex receiver);

  Script script_;
  Listener listener_;
  NetworkAnswer answer_;
};

}  // namespace hilgate
