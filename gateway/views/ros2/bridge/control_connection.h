// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate::ros2 {

/// A number of a part of the status document; 0 when absent, as infinite values are.
inline double number_in(const nlohmann::json& part, const char* key) {
  const auto found = part.find(key);
  return found != part.end() && found->is_number() ? found->get<double>() : 0;
}

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

/// The socket on which a gateway receives our lines; connects as soon as there is a gateway, and again to the next one.
class GatewayLink {
 public:
  explicit GatewayLink(std::string path) : path_(std::move(path)) {}

  /// False without a listener, or when it did not read within a second: the lines are lost.
  bool send(std::string_view lines);

 private:
  std::string path_;
  FileDescriptor socket_;
};

}  // namespace hilgate::ros2
