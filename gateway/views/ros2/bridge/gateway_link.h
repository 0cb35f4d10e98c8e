// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate::ros2 {

/// The socket on which a gateway hears what we write; connected as soon as there is a gateway, and again with the next.
class GatewayLink {
 public:
  explicit GatewayLink(std::string path) : path_(std::move(path)) {}

  /// False where nobody listens, or did not within a second: what was to be said is lost.
  bool send(std::string_view lines);

 private:
  std::string path_;
  FileDescriptor socket_;
};

}  // namespace hilgate::ros2
