// SPDX-License-Identifier: Apache-2.0
// RADIO_STATUS for robots at serial lines, as a telemetry radio puts it into their stream.
//
// SiK's firmware (radio/tdm.c, radio/packet.c, radio/mavlink.c) reports to its own host after each HEARTBEAT that the
// host sends, in the host's version, from system 51, component 68; `txbuf` is what is free of the buffer between line
// and radio.
#pragma once

#include <cstdint>
#include <map>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/daemon/telemetry/radio_statuses.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate {

/// Control thread.
class LineStatuses {
 public:
  struct Host {
    mavlink::Version version = mavlink::Version::k2;
    bool due = false;
    RobotIndex peer{};       // whom the last one was about
    HostTime last_linked{};  // the peer is in range
    std::uint8_t sequence = 0;
    std::uint64_t sent = 0;
    std::uint64_t refused = 0;  // too many frames waited to be sent
    mavlink::RadioStatus status{};
  };

  /// The robot has sent a HEARTBEAT to its radio.
  void heartbeat(RobotIndex robot, mavlink::Version version);
  /// What a radio at a serial line says at `now` of its link to host.peer: nothing of the other end, 0, when nothing
  /// has come from there for 3 s, as SiK's firmware (radio/tdm.c, link_update); ArduPilot's failsafe looks for that.
  static void note_link(const RadioPair& pair, HostTime now, Host& host);

  /// Sends what is due: `tell(robot, Host&)` fills in peer and status, or says false when there is nothing to tell;
  /// `send(robot, message)` is false when it cannot be sent.
  template <class Tell, class Send>
  void send_due(Tell tell, Send send) {
    for (auto& [robot, host] : hosts_) {
      if (host.due && tell(robot, host)) {
        if (send(robot, message_of(host))) {
          ++host.sent;
          ++host.sequence;
        } else {
          ++host.refused;
        }
      }
      host.due = false;
    }
  }

  [[nodiscard]] const std::map<RobotIndex, Host>& hosts() const { return hosts_; }

 private:
  [[nodiscard]] static std::string message_of(const Host& host);

  std::map<RobotIndex, Host> hosts_;
};

}  // namespace hilgate
