// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/ros2/bridge/gateway_link.h"

#include "gateway/views/ros2/bridge/control_connection.h"

namespace hilgate::ros2 {

bool GatewayLink::send(std::string_view lines) {
  if (!socket_.valid()) {
    socket_ = connected(path_, std::chrono::seconds(1));
  }
  if (!socket_.valid() || !send_all(socket_, lines)) {
    socket_.close();  // a line may have been cut
    return false;
  }
  return true;
}

}  // namespace hilgate::ros2
