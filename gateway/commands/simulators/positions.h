// SPDX-License-Identifier: Apache-2.0
// hilgate sim positions: a stand-in for the programs that push positions at a gateway, for tests and first tries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"

namespace hilgate {

enum class PositionProtocol : std::uint8_t { kCornet, kCornet2, kFlyNetSim, kRoboNetSim, kAvens };

/// Throws std::invalid_argument that lists what is known.
PositionProtocol parse_position_protocol(std::string_view text);

struct PositionsOptions {
  PositionProtocol protocol = PositionProtocol::kCornet;
  /// cornet: the socket of the positions, with the clock's next to it (cornet_clock.sock); cornet2 and robonetsim:
  /// HOST:PORT; flynetsim: ZeroMQ's; avens: the file. Empty: as the original has it, cornet's and avens' by `run`.
  std::string address{};
  std::string run{};  // the gateway's name; empty: the only one with a folder for sockets
  std::uint32_t robots = 2;
  std::vector<std::string> names{};       // empty: as the protocol counts robots, uav_1 and up for cornet and cornet2
  Nanoseconds every{20'000'000};          // between two positions of a robot, by the wall
  Nanoseconds lap{60'000'000'000};        // of the circles in which robots move, by the sender's clock
  double radius_m = 10;                   // of the first robot's; robot n drives at n + 1 times that
  double speed = 1;                       // of the sender's clock, per wall time
  std::optional<Nanoseconds> duration{};  // then it ends
  Nanoseconds patience{30'000'000'000};   // for the gateway to appear
};

/// Sends until SIGINT, SIGTERM or the end of the duration; the return value is the exit status: 1 when the gateway did
/// not appear or went. Throws std::runtime_error for addresses that cannot be.
int positions_command(const PositionsOptions& options);

}  // namespace hilgate
