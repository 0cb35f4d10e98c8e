// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/steady_timer.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "physics_link/gz/gz_world.h"
#include "physics_link/gz/sdf_obstacles.h"
#include "physics_link/physics_simulator.h"

namespace hilgate::gz {

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
