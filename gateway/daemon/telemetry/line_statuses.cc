// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/telemetry/line_statuses.h"

namespace hilgate {
namespace {

constexpr std::uint8_t kRadioSystem = 51;     // '3'
constexpr std::uint8_t kRadioComponent = 68;  // 'D'
constexpr std::chrono::seconds kLineUnlinked{3};

}  // namespace

void LineStatuses::heartbeat(RobotIndex robot, mavlink::Version version) {
  Host& host = hosts_[robot];
  host.version = version;
  host.due = true;
}

void LineStatuses::note_link(const RadioPair& pair, HostTime now, Host& host) {
  host.status = radio_status(pair);
  if (pair.heard.reachable) {
    host.last_linked = now;
  } else if (now - host.last_linked >= kLineUnlinked) {
    host.status.remrssi = host.status.remnoise = 0;
  }
}

std::string LineStatuses::message_of(const Host& host) {
  return mavlink::write_radio_status(
      {.version = host.version, .sequence = host.sequence, .system = kRadioSystem, .component = kRadioComponent},
      host.status);
}

}  // namespace hilgate
