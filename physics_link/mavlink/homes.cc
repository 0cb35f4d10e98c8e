// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/homes.h"

#include <algorithm>

namespace hilgate::mavlink {

bool Homes::note(RobotIndex robot, const Author& author, bool ground_station, SimTime at) {
  System& system = systems_[author.system];
  bool changed = ground_station && !system.ground_station;
  system.ground_station = system.ground_station || ground_station;
  system.home = system.home.value_or(robot);
  if (author.mark == 0) {
    return changed;
  }
  if (const Heard* const other = same_frame(robot, author, at)) {
    const bool copy = other->at <= at;
    const RobotIndex copier = copy ? robot : other->robot;
    const RobotIndex first = copy ? other->robot : robot;
    if (system.home == copier) {
      system.home = first;
      changed = true;
    }
  }
  frames_[next_] = {author, robot, at};
  next_ = (next_ + 1) % kFrames;
  return changed;
}

const Homes::Heard* Homes::same_frame(RobotIndex robot, const Author& author, SimTime at) const {
  const auto found = std::ranges::find_if(frames_, [&](const Heard& heard) {
    const Nanoseconds apart = at >= heard.at ? at - heard.at : heard.at - at;
    return heard.author.mark == author.mark && heard.author.system == author.system &&
           heard.author.component == author.component && heard.robot != robot && apart < kCopyLife;
  });
  return found != frames_.end() ? &*found : nullptr;
}

bool Homes::has_ground_station(RobotIndex robot) const {
  return std::ranges::any_of(systems_, [robot](const System& one) { return one.ground_station && one.home == robot; });
}

}  // namespace hilgate::mavlink
