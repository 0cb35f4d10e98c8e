// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "physics_link/physics.h"

namespace hilgate {

/// A robot's position from an external feed.
struct NamedPosition {
  std::string robot{};
  Vec3 at{};
};

struct FeedCounters {
  std::uint64_t positions = 0;                               // taken
  std::uint64_t unknown = 0;                                 // for robots that are not configured
  std::uint64_t malformed = 0;                               // that made no sense
  std::map<std::string_view, std::uint64_t> malformed_by{};  // these by reason, with feeds that distinguish them
};

/// The source of a robot's positions, with feeds that have a source for each robot.
struct FeedSource {
  std::string name{};                 // as people know it: a topic
  std::uint64_t positions = 0;        // taken
  std::uint64_t malformed = 0;        // that made no sense
  std::uint64_t future = 0;           // stamped later than now
  std::uint64_t old = 0;              // stamped too long ago, or before one that was taken
  std::optional<HostTime> refused{};  // when one of these came last
  std::string trouble{};              // why nothing can come; empty: nothing is known
};

/// Physics from a simulator that pushes positions at times of its own: in the scene every robot is at its last received
/// position, in sight of every other.
class PositionFeed : public Physics {
 public:
  /// `robots`: the names the feed uses, by RobotIndex. All are at the origin until their first position.
  explicit PositionFeed(const std::vector<std::string>& robots);

  /// False, and counted, for an unknown robot or a position outside the world (foreign_numbers.h).
  bool move(std::string_view robot, const Vec3& to);
  void note_malformed() { ++counters_.malformed; }
  /// `reason`: of static storage.
  void note_malformed(std::string_view reason) {
    ++counters_.malformed;
    ++counters_.malformed_by[reason];
  }
  /// The time of the sender's own clock, for components that follow it.
  void note_clock(SimTime at) {
    if (on_clock_) {
      on_clock_(at);
    }
  }
  void on_clock(std::function<void(SimTime)> hear) { on_clock_ = std::move(hear); }

  void scene_at(SimTime at, Scene& scene) override;
  [[nodiscard]] const FeedCounters& counters() const { return counters_; }
  /// By RobotIndex; empty with feeds that have one source for all robots.
  [[nodiscard]] virtual std::span<const FeedSource> sources() const { return {}; }
  /// The position of a robot is stale this long after its last update.
  [[nodiscard]] virtual Nanoseconds stale_after() const { return std::chrono::seconds(5); }
  /// When a robot's position was received last; empty before the first.
  [[nodiscard]] std::optional<HostTime> heard(RobotIndex robot) const { return heard_[robot.value()]; }

 protected:
  void note_unknown() { ++counters_.unknown; }
  /// As move(), for a bounded pose, received now.
  void place(RobotIndex robot, const Pose& pose);

 private:
  std::unordered_map<std::string, RobotIndex> names_;
  std::vector<Pose> poses_;
  std::vector<std::optional<HostTime>> heard_;  // by RobotIndex
  FeedCounters counters_;
  std::function<void(SimTime)> on_clock_{};
};

}  // namespace hilgate
