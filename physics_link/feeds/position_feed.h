// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "physics_link/physics.h"

namespace hilgate {

/// A robot's position as an external feed tells it.
struct NamedPosition {
  std::string robot{};
  Vec3 at{};
};

struct FeedCounters {
  std::uint64_t positions = 0;  // taken
  std::uint64_t unknown = 0;    // for robots that nobody configured
  std::uint64_t malformed = 0;  // that made no sense
};

/// Physics from somebody who pushes positions whenever they like: the scene is where everybody was heard to be last,
/// in everybody's sight. Such feeds are not in step with windows; adapters decode them and call move().
class PositionFeed : public Physics {
 public:
  /// `robots`: the names the feed uses, by RobotIndex. All stand at the origin until heard of.
  explicit PositionFeed(const std::vector<std::string>& robots);

  /// False, and counted, for a robot that is not known or a place outside the world (foreign_numbers.h).
  bool move(std::string_view robot, const Vec3& to);
  void note_malformed() { ++counters_.malformed; }
  /// What the sender's own clock shows, for whoever follows it.
  void note_clock(SimTime at) {
    if (on_clock_) {
      on_clock_(at);
    }
  }
  void on_clock(std::function<void(SimTime)> hear) { on_clock_ = std::move(hear); }

  void scene_at(SimTime at, Scene& scene) override;
  [[nodiscard]] const FeedCounters& counters() const { return counters_; }
  /// When a robot's position was told last; nothing before the first time.
  [[nodiscard]] std::optional<HostTime> heard(RobotIndex robot) const { return heard_[robot.value()]; }

 private:
  std::unordered_map<std::string, RobotIndex> names_;
  std::vector<Pose> poses_;
  std::vector<std::optional<HostTime>> heard_;  // by RobotIndex
  FeedCounters counters_;
  std::function<void(SimTime)> on_clock_{};
};

}  // namespace hilgate
