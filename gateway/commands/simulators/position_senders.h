// SPDX-License-Identifier: Apache-2.0
// One sender for each protocol of physics_link/feeds, as the original program sends.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <asio/io_context.hpp>

#include "gateway/commands/simulators/positions.h"
#include "physics_link/scene.h"

namespace hilgate {

class PositionSender {
 public:
  virtual ~PositionSender() = default;
  PositionSender() = default;
  PositionSender(const PositionSender&) = delete;
  PositionSender& operator=(const PositionSender&) = delete;

  /// False while there is no listener yet.
  virtual bool connect() = 0;
  /// All robots, at the sender's own time. Throws std::system_error when the gateway is gone.
  virtual void send(SimTime at, std::span<const Vec3> robots) = 0;
};

/// Throws std::runtime_error for an invalid address.
std::unique_ptr<PositionSender> make_position_sender(asio::io_context& io, const PositionsOptions& options);

}  // namespace hilgate
