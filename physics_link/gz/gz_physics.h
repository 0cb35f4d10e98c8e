// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <ignition/transport/Node.hh>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "physics_link/gz/sdf_obstacles.h"
#include "physics_link/physics_simulator.h"
#include "physics_link/scene.h"

namespace hilgate::gz {

// A world of Gazebo (Ignition) at the other end of its transport: poses and clock come, steps go.
//
// The topics and services are those of Gazebo's own systems: /world/<name>/pose/info (SceneBroadcaster),
// /world/<name>/clock and /world/<name>/control (the server).

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

struct GzOptions {
  bool steps = true;   // the world is held and stepped; false: it runs as it likes and is followed
  bool paces = false;  // one that runs as it likes: a step is answered when the world has got to its end
  Nanoseconds step_size{std::chrono::milliseconds(1)};  // of the world's physics
  Nanoseconds silence{std::chrono::seconds(5)};         // without a pose or progress for so long, the run has ended
  // Poses are broadcast some 60 times a second of host time, however fast the world steps: after a step they are waited
  // for so long, and then the last ones stand.
  Nanoseconds pose_wait{std::chrono::milliseconds(50)};
};

/// A world of Gazebo as the physics simulator of a gateway. Robots are models by name. Time 0 of the run is when the
/// world was first asked.
class GzPhysics final : public PhysicsSimulator {
 public:
  /// `robots()` their names by number, known from the first BEGIN on.
  GzPhysics(asio::io_context& io, World& world, const GzOptions& options, std::vector<Obstacle> obstacles,
            std::function<std::vector<std::string>()> robots);

  void open(Listener listener) override;
  void begin(const PhysicsQuestion& question) override;
  void close() override;

  [[nodiscard]] bool begun() const { return begun_; }
  [[nodiscard]] bool failed() const { return failed_; }
  /// Steps whose poses came too late for them.
  [[nodiscard]] std::uint64_t old_poses() const { return old_poses_; }

 private:
  void hear_clock(WorldSeconds at);
  void hear_poses(WorldSeconds at, Poses poses);
  void go_on();
  void wait_for_poses();
  void watch();
  void answer();
  bool find_robots();
  void fail(const std::string& why);

  World& world_;
  GzOptions options_;
  std::vector<Obstacle> obstacles_;
  std::function<std::vector<std::string>()> robots_;
  Listener listener_;
  asio::steady_timer pose_timer_;
  asio::steady_timer silence_timer_;
  std::optional<Step> step_;           // that is owed an answer
  std::optional<WorldSeconds> clock_;  // newest
  std::optional<WorldSeconds> run_begins_;
  WorldSeconds poses_at_{};
  Poses poses_;
  bool asked_ = false;      // the world, to step for this step
  std::uint64_t news_ = 0;  // clocks and poses received, to see that there are any
  std::uint64_t old_poses_ = 0;
  bool begun_ = false;
  bool failed_ = false;
  PhysicsAnswer answer_;
};

}  // namespace hilgate::gz
