// SPDX-License-Identifier: Apache-2.0
// What a configuration says about simulators that are programs of their own.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "clock/time.h"
#include "gateway/configuration/simulator_protocol.h"
#include "physics_link/connection/endpoint.h"
#include "physics_link/dancers/dancers_version.h"

namespace hilgate {

/// A simulator that advances step by step on request.
struct SimulatorConfig {
  SimulatorProtocol protocol = SimulatorProtocol::kNative;
  Endpoint address{};
  std::optional<bool> listen{};                     // absent: as the protocol has it
  Nanoseconds step{0};                              // divides the window; 0: the whole window
  Nanoseconds patience = std::chrono::seconds(60);  // for it to appear, or to appear again; 0: for ever
  Nanoseconds timeout = std::chrono::seconds(10);   // silent so long while it owes an answer, it hangs; 0: never
  dancers::Version dancers = dancers::Version::kV1;
  bool sight_from_los_field = false;  // physics rosnetsim: believe `los` instead of counting hops
};

/// An external network simulator.
struct ExternalNetsimConfig {
  SimulatorConfig simulator{};
  bool by_packet = true;    // it passes verdicts on packets; otherwise links are as it last said, or as wires
  bool compat = false;      // rosnetsim: its reference's bit errors, expiry after 50 windows, ENDs for any window
  bool extensions = false;  // rosnetsim: times in nanoseconds on the wire
  Nanoseconds expiry = std::chrono::seconds(1);  // of sim time: a packet without verdict is given up
};

/// Positions that come when their sender likes.
struct FeedConfig {
  enum class Kind : std::uint8_t { kCornet, kCornet2, kFlyNetSim, kRoboNetSim, kAvens };
  Kind kind = Kind::kCornet;
  Endpoint address{};                // cornet2 and robonetsim: where we listen; TCP and UDP
  std::string publisher{};           // flynetsim: ZeroMQ's address
  std::string clock{}, positions{};  // cornet: paths of its two sockets, ours
  std::filesystem::path file{};      // avens
};

}  // namespace hilgate
