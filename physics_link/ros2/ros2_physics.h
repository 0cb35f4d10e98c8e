// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "physics_link/feeds/feed_physics.h"
#include "physics_link/feeds/feed_sockets.h"
#include "physics_link/ros2/ros2_poses.h"
#include "physics_link/ros2/unix_time.h"

namespace hilgate {

/// Ros2Poses as a simulator, with the socket to which hilgate-ros2 writes them.
class Ros2Physics final : public OwnedPhysics<Ros2Poses> {
 public:
  Ros2Physics(asio::io_context& context, const std::vector<std::string>& robots, const std::string& socket,
              const Ros2PosesOptions& options)
      : OwnedPhysics<Ros2Poses>(robots, options),
        server_(context, socket, [this](std::string_view line) { source_.take(line, unix_now()); }) {}

 private:
  LineServer server_;
};

}  // namespace hilgate
