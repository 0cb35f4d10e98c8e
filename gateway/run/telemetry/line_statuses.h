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
#include "gateway/run/telemetry/radio_statuses.h"
#include "physics_link/mavlink/messages.h"

namespace hilgate {

/// Control thread.
class LineStatuses {
 public:
  struct Host : RadioReports {
    bool due = false;
    RobotIndex peer{};  // whom the last one was about
  };

  /// The robot has sent a HEARTBEAT to its radio.
  void heartbeat(RobotIndex robot, mavlink::Version version);

  /// Sends what is due: `tell(robot, Host&)` fills in peer and status, or says false when there is nothing to tell;
  /// `send(robot, message)` is false when it cannot be sent.
  template <class Tell, class Send>
  void send_due(Tell tell, Send send) {
    for (auto& [robot, host] : hosts_) {
      if (host.due && tell(robot, host)) {
        host.note_sent(send(robot, host.message()));
      }
      host.due = false;
    }
  }

  [[nodiscard]] const std::map<RobotIndex, Host>& hosts() const { return hosts_; }

 private:
  std::map<RobotIndex, Host> hosts_;
};

}  // namespace hilgate
