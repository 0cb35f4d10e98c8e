// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/telemetry_config.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/run/telemetry/datagram_sender.h"
#include "gateway/run/telemetry/ground_motion.h"
#include "gateway/status/model/peer_status.h"
#include "host/control_clock.h"
#include "physics_link/mavlink/geodetic.h"

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

  const Configuration& configuration_;
  const Windows& windows_;
  ControlTimer timer_;
  DatagramSender sender_;
  std::map<std::string, MotionMeter> motions_;  // by body
  std::uint64_t unplaced_ = 0;
};

// Cursor on Target: the base schema, version 2.0 (MITRE, MTR 010185, "Cursor-on-Target Message Router User's Guide",
// appendix A; Event.xsd), and of its details `contact` and `track` as TAK's programs read them.

/// Where a robot is at one instant.
struct CotEvent {
  const CotRobotConfig& robot;
  Nanoseconds utc{0};    // since 1970; events have milliseconds
  Nanoseconds stale{0};  // the event is valid so long
  mavlink::Geodetic place{};
  std::optional<GroundMotion> motion{};
};

/// One event as an XML document, UTF-8. `how` is m-s, simulated by a machine; the circular error is 0. The height is
/// that of the configuration's origin and upwards, whose datum is not known: its error is 9999999, the schema's
/// unknown.
std::string cot_event(const CotEvent& event);

}  // namespace hilgate
