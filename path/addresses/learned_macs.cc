// SPDX-License-Identifier: Apache-2.0
#include "path/addresses/learned_macs.h"

#include <algorithm>

namespace hilgate {
namespace {

// A robot may be a bridge of several interfaces; each of a thousand such robots gets a smaller table.
constexpr std::size_t kMost = 1024;
constexpr std::size_t kLeast = 64;
constexpr std::size_t kOfAll = 16'384;

std::size_t most_of_each(std::size_t robots) {
  return robots == 0 ? 0 : std::clamp(kOfAll / robots, kLeast, kMost);
}

}  // namespace

LearnedMacs::LearnedMacs(std::span<const RobotSlot> open)
    : most_(most_of_each(open.size())), table_(most_ * open.size()), own_of_(open.size()) {
  owns_.reserve(open.size());
  for (const RobotSlot robot : open) {
    own_of_.insert(robot.value(), static_cast<std::uint32_t>(owns_.size()));
    owns_.push_back({.robot = robot});
    owns_.back().macs.reserve(most_);
  }
}

std::optional<RobotSlot> LearnedMacs::learn(MacAddress mac, RobotSlot robot, HostTime now) {
  Entry* const known = table_.find(mac);
  if (known != nullptr && known->robot == robot) {
    known->heard = now;
    return std::nullopt;
  }
  Own& own = own_of(robot);
  if (own.macs.size() == most_ && !make_room(own, now)) {
    return std::nullopt;  // its frames count as the robot's all the same
  }
  const std::optional<RobotSlot> before = robot_at(mac);
  if (before) {
    give_up(mac);
  }
  table_.insert(mac, {.robot = robot, .place = static_cast<std::uint32_t>(own.macs.size()), .heard = now});
  own.macs.push_back(mac);
  return before;
}

std::optional<RobotSlot> LearnedMacs::robot_at(MacAddress mac) const {
  const Entry* const entry = table_.find(mac);
  return entry != nullptr ? std::optional(entry->robot) : std::nullopt;
}

std::optional<MacAddress> LearnedMacs::any_of(RobotSlot robot) const {
  const std::uint32_t* const own = own_of_.find(robot.value());
  return own != nullptr && !owns_[*own].macs.empty() ? std::optional(owns_[*own].macs.back()) : std::nullopt;
}

void LearnedMacs::learn_from(const LearnedMacs& other) {
  for (const Own& own : other.owns_) {
    if (own_of_.find(own.robot.value()) == nullptr) {
      continue;
    }
    for (const MacAddress mac : own.macs) {
      learn(mac, own.robot, other.table_.find(mac)->heard);
    }
  }
}

// A few at a time: the next address tries the next ones.
bool LearnedMacs::make_room(Own& own, HostTime now) {
  constexpr int kTried = 8;
  for (int i = 0; i < kTried; ++i) {
    own.oldest = own.oldest + 1 < own.macs.size() ? own.oldest + 1 : 0;
    const MacAddress mac = own.macs[own.oldest];
    if (now - table_.find(mac)->heard > kLife) {
      give_up(mac);
      return true;
    }
  }
  return false;
}

// The robot's last address takes its place.
void LearnedMacs::give_up(MacAddress mac) {
  const Entry entry = *table_.find(mac);
  std::vector<MacAddress>& macs = own_of(entry.robot).macs;
  macs[entry.place] = macs.back();
  table_.find(macs.back())->place = entry.place;
  macs.pop_back();
  table_.erase(mac);
}

}  // namespace hilgate
