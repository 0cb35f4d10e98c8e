// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
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

/// Where a robot's positions come from, with feeds in which each robot has a place of its own.
struct FeedSource {
  std::string name{};                 // as people know it: a topic
  std::uint64_t positions = 0;        // taken
  std::uint64_t malformed = 0;        // that made no sense
  std::uint64_t future = 0;           // stamped later than now
  std::uint64_t old = 0;              // stamped too long ago, or before one that was taken
  std::optional<HostTime> refused{};  // when one of these came last
  std::string trouble{};              // why nothing can come; empty: nothing is known
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
  /// By RobotIndex; empty with feeds that tell all robots' positions in one place.
  [[nodiscard]] virtual std::span<const FeedSource> sources() const { return {}; }
  /// A robot of which nothing was heard for so long is no longer where it was.
  [[nodiscard]] virtual Nanoseconds stale_after() const { return std::chrono::seconds(5); }
  /// When a robot's position was told last; nothing before the first time.
  [[nodiscard]] std::optional<HostTime> heard(RobotIndex robot) const { return heard_[robot.value()]; }

 protected:
  /// As move(), for a pose that is bounded, and told at this moment.
  void place(RobotIndex robot, const Pose& pose);

 private:
  std::unordered_map<std::string, RobotIndex> names_;
  std::vector<Pose> poses_;
  std::vector<std::optional<HostTime>> heard_;  // by RobotIndex
  FeedCounters counters_;
  std::function<void(SimTime)> on_clock_{};
};

}  // namespace hilgate
