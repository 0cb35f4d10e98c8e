// SPDX-License-Identifier: Apache-2.0
#include "physics_link/ros2/ros2_poses.h"

#include <cmath>
#include <limits>
#include <variant>

#include "clock/host_now.h"
#include "physics_link/foreign_numbers.h"

namespace hilgate {
namespace {

// PX4 and others fill in NaN where they know the place alone.
Ros2Pose with_orientation(Ros2Pose pose) {
  const Quaternion& turned = pose.turned;
  if (std::isnan(turned.w) || std::isnan(turned.x) || std::isnan(turned.y) || std::isnan(turned.z)) {
    pose.turned = {.w = 0};
  }
  return pose;
}

}  // namespace

Ros2Poses::Ros2Poses(const std::vector<std::string>& robots, const Ros2PosesOptions& options)
    : PositionFeed(robots),
      sources_(robots.size()),
      taken_(robots.size()),
      stale_(options.stale),
      stamps_(options.stamps),
      origin_(options.origin) {
  for (std::size_t i = 0; i < sources_.size() && i < options.topics.size(); ++i) {
    sources_[i].name = options.topics[i];
  }
}

void Ros2Poses::take(std::string_view line, UnixTime now) {
  const auto said = parse_ros2_line(line);
  if (const auto* pose = std::get_if<Ros2Pose>(&said); pose != nullptr && pose->robot.value() < sources_.size()) {
    take(with_orientation(*pose), now);
  } else if (const auto* fix = std::get_if<Ros2Fix>(&said); fix != nullptr && fix->robot.value() < sources_.size()) {
    take(*fix, now);
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

// What is no place on the earth is as little one in the scene. A fix without an altitude has NaN there (NavSatFix.msg),
// and is where z is 0.
void Ros2Poses::take(Ros2Fix fix, UnixTime now) {
  if (std::isnan(fix.at.alt_m)) {
    fix.at.alt_m = origin_ ? origin_->alt_m : 0;
  }
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  Ros2Pose pose{.robot = fix.robot, .stamp = fix.stamp, .at = {kNone, kNone, kNone}, .turned = {.w = 0}};
  if (std::abs(fix.at.lat_deg) <= 90 && std::abs(fix.at.lon_deg) <= 180 && std::abs(fix.at.alt_m) <= kWorldReach) {
    const mavlink::Geodetic origin = origin_.value_or(fix.at);
    pose.at = enu_of(fix.at, origin);
    if (fault_of(pose, now) == nullptr) {
      origin_ = origin;
    }
  }
  take(pose, now);
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
