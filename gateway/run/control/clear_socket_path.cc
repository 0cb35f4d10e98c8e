// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/control/clear_socket_path.h"

#include <fmt/format.h>

#include <stdexcept>

#include "host/socket_path.h"

namespace hilgate {

void clear_socket_path(const std::filesystem::path& path) {
  const auto status = std::filesystem::symlink_status(path);
  if (!std::filesystem::exists(status)) {
    return;
  }
  if (!std::filesystem::is_socket(status)) {
    throw std::runtime_error(fmt::format("control socket {}: exists and is not a socket; remove it", path.string()));
  }
  if (socket_listener(path.string())) {
    throw std::runtime_error(fmt::format(
        "control socket {}: a run of this name is already running; stop it or choose another name", path.string()));
  }
  std::filesystem::remove(path);
}

}  // namespace hilgate
