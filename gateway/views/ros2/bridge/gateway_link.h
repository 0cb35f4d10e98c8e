// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate::ros2 {

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
