// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/ros2_poses.h"

#include <variant>

#include "clock/host_now.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {

Ros2Poses::Ros2Poses(const std::vector<std::string>& robots, const Ros2PosesOptions& options)
    : PositionFeed(robots),
      sources_(robots.size()),
      taken_(robots.size()),
      stale_(options.stale),
      stamps_(options.stamps) {
  for (std::size_t i = 0; i < sources_.size() && i < options.topics.size(); ++i) {
    sources_[i].name = options.topics[i];
  }
}

void Ros2Poses::take(std::string_view line, UnixTime now) {
  const auto said = parse_ros2_line(line);
  if (const auto* pose = std::get_if<Ros2Pose>(&said); pose != nullptr && pose->robot.value() < sources_.size()) {
    take(*pose, now);
  } else if (const auto* trouble = std::get_if<Ros2Trouble>(&said);
             trouble != nullptr && trouble->robot.value() < sources_.size()) {
    sources_[trouble->robot.value()].trouble = trouble->text;
  } else if (const auto* clock = std::get_if<Ros2Clock>(&said);
             clock != nullptr && bounded_time(clock->shows.count())) {
    note_clock(SimTime(clock->shows));
  } else {
    note_malformed();
  }
}

void Ros2Poses::take(const Ros2Pose& pose, UnixTime now) {
  FeedSource& source = sources_[pose.robot.value()];
  if (std::uint64_t FeedSource::*const fault = fault_of(pose, now)) {
    ++(source.*fault);
    source.refused = host_now();
    if (fault == &FeedSource::malformed) {
      note_malformed();
    }
    return;
  }
  ++source.positions;
  taken_[pose.robot.value()] = pose.stamp;
  place(pose.robot, bounded_pose(pose.at, pose.turned).value_or(Pose{}));
}

std::uint64_t FeedSource::*Ros2Poses::fault_of(const Ros2Pose& pose, UnixTime now) const {
  if (!bounded_pose(pose.at, pose.turned)) {
    return &FeedSource::malformed;
  }
  if (!stamps_) {
    return nullptr;
  }
  if (pose.stamp > now + kMostAhead) {
    return &FeedSource::future;
  }
  const std::optional<UnixTime>& last = taken_[pose.robot.value()];
  return pose.stamp < now - stale_ || (last && pose.stamp < *last) ? &FeedSource::old : nullptr;
}

}  // namespace hilgate
