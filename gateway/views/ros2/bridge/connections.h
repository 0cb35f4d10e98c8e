// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace hilgate::ros2 {

/// A robot's connection, as a driver of a radio tells it.
struct Connection {
  double rate_mbps = 0;
  double rssi_dbm = 0;
  double snr_db = 0;
  std::string peer{};  // access point, or the robot that it hears best
  std::string medium{};
};

/// By the status document of the gateway. Nothing while it hears nobody.
std::optional<Connection> connection_of(const nlohmann::json& status, const std::string& robot);

}  // namespace hilgate::ros2
