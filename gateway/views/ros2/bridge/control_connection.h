// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "host/file_descriptor.h"

namespace hilgate::ros2 {

/// A connection with `patience` as timeout for sending and receiving; an empty descriptor without a listener.
FileDescriptor connected(const std::string& path, std::chrono::seconds patience);

/// False when not all could be sent.
[[nodiscard]] bool send_all(const FileDescriptor& socket, std::string_view text);

/// Questions to a gateway's control socket, over one connection as long as it lasts.
class ControlConnection {
 public:
  explicit ControlConnection(std::string path) : path_(std::move(path)) {}

  /// Waits for the answer for 5 s at most; nothing when there is no gateway, or it does not answer, or refuses.
  std::optional<nlohmann::json> ask(const std::string& command);

 private:
  bool exchange(const std::string& request);

  std::string path_;
  FileDescriptor socket_;
  std::string received_;  // the answer's line; what storage it has is used again
};

/// A robot's connection, as a radio driver reports it.
struct Connection {
  double rate_mbps = 0;
  double rssi_dbm = 0;
  double snr_db = 0;
  std::string peer{};  // access point, or the robot that it receives best
  std::string medium{};
};

/// From the status document of the gateway. Empty while the robot receives no one.
std::optional<Connection> connection_of(const nlohmann::json& status, const std::string& robot);

}  // namespace hilgate::ros2
