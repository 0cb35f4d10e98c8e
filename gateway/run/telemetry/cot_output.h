// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/ip/udp.hpp>
#include <cstdint>
#include <map>
#include <string>

#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/ground_motion.h"
#include "gateway/status/model/peer_status.h"
#include "host/control_clock.h"

namespace hilgate {

/// Positions of the robots at this gateway's ports as Cursor on Target events, a UDP datagram each, from this machine's
/// own network. Events have the machine's UTC and go out in host time, because their receivers live in it. Control
/// thread.
class CotOutput {
 public:
  /// Both belong to the running gateway and change with it.
  CotOutput(asio::io_context& context, const Configuration& configuration, const Windows& windows);

  /// Requires `cot` in the configuration. Throws std::system_error when there is no socket.
  void start();
  /// Requires `cot` in the configuration.
  [[nodiscard]] CotStatus status() const;

 private:
  void send_after(Nanoseconds pause);
  void send_all();
  void send(const std::string& event);

  const Configuration& configuration_;
  const Windows& windows_;
  ControlTimer timer_;
  asio::ip::udp::socket socket_;
  asio::ip::udp::endpoint to_;
  std::map<std::string, MotionMeter> motions_;  // by body
  std::uint64_t sent_ = 0, refused_ = 0, unplaced_ = 0;
  std::string fault_;  // of the last event; empty: it was sent
};

}  // namespace hilgate
