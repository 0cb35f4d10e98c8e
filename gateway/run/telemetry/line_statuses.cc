// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/telemetry/line_statuses.h"

namespace hilgate {

void LineStatuses::heartbeat(RobotIndex robot, mavlink::Version version) {
  Host& host = hosts_[robot];
  host.version = version;
  host.due = true;
}

}  // namespace hilgate
