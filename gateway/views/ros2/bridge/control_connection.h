// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "host/file_descriptor.h"

namespace hilgate::ros2 {

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

}  // namespace hilgate::ros2
