// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "physics_link/feeds/feed_physics.h"
#include "physics_link/feeds/feed_sockets.h"
#include "physics_link/feeds/position_feed.h"
#include "physics_link/ros2/ros2_line.h"

namespace hilgate {

struct Ros2PosesOptions {
  std::vector<std::string> topics{};  // where each robot's poses are published, by RobotIndex
  Nanoseconds stale =
      std::chrono::seconds(1);  // a pose older than this does not count; also without a new one for so long
  bool stamps = true;           // false: whatever messages are stamped, they are of when they come
  std::optional<mavlink::Geodetic> origin{};  // of places on the earth; absent: the first that comes
};

/// Robots where ROS 2 says that they are. What has no numbers, is stamped in the future, too long ago or before what
/// was taken already is counted and changes nothing. An orientation without numbers is one that was not given.
class Ros2Poses final : public PositionFeed {
 public:
  /// Clocks of robots and motion-capture systems may be ahead of ours by so much.
  static constexpr Nanoseconds kMostAhead = std::chrono::milliseconds(100);

  /// `robots`: by RobotIndex.
  Ros2Poses(const std::vector<std::string>& robots, const Ros2PosesOptions& options);

  /// A line of ros2_line.h, at this instant.
  void take(std::string_view line, UnixTime now);

  [[nodiscard]] std::span<const FeedSource> sources() const override { return sources_; }
  [[nodiscard]] Nanoseconds stale_after() const override { return stale_; }

 private:
  void take(const Ros2Pose& pose, UnixTime now);
  void take(Ros2Fix fix, UnixTime now);
  std::uint64_t FeedSource::*fault_of(const Ros2Pose& pose, UnixTime now) const;

  std::vector<FeedSource> sources_;             // by RobotIndex
  std::vector<std::optional<UnixTime>> taken_;  // stamps of the last ones, likewise
  Nanoseconds stale_;
  bool stamps_;
  std::optional<mavlink::Geodetic> origin_;
};

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
