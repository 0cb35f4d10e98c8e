// SPDX-License-Identifier: Apache-2.0
// A world of Gazebo (Ignition) at the other end of its transport: poses and clock come, steps go.
//
// The topics and services are those of Gazebo's own systems: /world/<name>/pose/info (SceneBroadcaster),
// /world/<name>/clock and /world/<name>/control (the server).
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <ignition/transport/Node.hh>
#include <map>
#include <string>
#include <vector>

#include "clock/time.h"
#include "physics_link/scene.h"

namespace hilgate::gz {

/// Sim time of the world: starts with the world, not with the run.
using WorldSeconds = Nanoseconds;
using Poses = std::map<std::string, Pose>;

/// All calls and callbacks on the io_context's thread; the transport's own threads only post there.
class World {
 public:
  struct Listener {
    std::function<void(WorldSeconds)> clock;
    std::function<void(WorldSeconds, Poses)> poses;
    std::function<void(const std::string&)> refused;  // the world did not take an order
  };

  World(asio::io_context& io, std::string name) : io_(io), name_(std::move(name)) {}

  /// Whether discovery has found the world.
  [[nodiscard]] bool present() const;
  /// Worlds that are there, by name.
  [[nodiscard]] std::vector<std::string> worlds() const;

  void subscribe(Listener listener);
  /// Holds the world, and then makes so many steps of its physics; 0: only holds it.
  void step(std::uint32_t steps);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::string topic(const std::string& of) const { return "/world/" + name_ + "/" + of; }

 private:
  asio::io_context& io_;
  std::string name_;
  Listener listener_;
  ignition::transport::Node node_;  // last: its threads end before what they post to
};

}  // namespace hilgate::gz
