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

bool LearnedMacs::learn(MacAddress mac, RobotSlot robot, HostTime now) {
  Claims* claims = table_.find(mac);
  if (claims != nullptr) {
    claims->heard = now;
    const auto end = claims->robots.begin() + claims->count;
    if (std::find(claims->robots.begin(), end, robot) != end || claims->count == kMostClaims) {
      return false;
    }
  }
  Own& own = owns_[*own_of_.find(robot.value())];
  if (own.macs.size() == most_ && !make_room(own, now)) {
    return false;  // its frames count as the robot's all the same
  }
  own.macs.push_back(mac);
  if ((claims = table_.find(mac)) == nullptr) {  // making room may have moved it
    table_.insert(mac, {.robots = {robot}, .count = 1, .heard = now});
    return false;
  }
  claims->robots[claims->count++] = robot;
  return claims->count == 2;
}

std::span<const RobotSlot> LearnedMacs::claims(MacAddress mac) const {
  const Claims* claims = table_.find(mac);
  return claims != nullptr ? std::span(claims->robots.data(), claims->count) : std::span<const RobotSlot>{};
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
      give_up(mac, own.robot);
      own.macs[own.oldest] = own.macs.back();
      own.macs.pop_back();
      return true;
    }
  }
  return false;
}

void LearnedMacs::give_up(MacAddress mac, RobotSlot robot) {
  Claims& claims = *table_.find(mac);
  const auto end = claims.robots.begin() + claims.count;
  static_cast<void>(std::remove(claims.robots.begin(), end, robot));  // the count marks the end of the others
  if (--claims.count == 0) {
    table_.erase(mac);
  }
}

}  // namespace hilgate
