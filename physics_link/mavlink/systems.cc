// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace hilgate::mavlink {
namespace {

constexpr std::uint8_t kFarthestGap = 127;  // more is a step back: sequences go round after 256
constexpr std::uint8_t kRestartAfter = 3;   // steps back in order: the sequence began anew

}  // namespace

void Systems::take(const Heard& heard, const Frame& frame, const Message& message,
                   const std::function<std::string(RobotIndex)>& name_of) {
  const bool is_checked = !std::holds_alternative<std::monostate>(message);
  if (!is_checked && !systems_.contains(frame.system)) {
    ++of_no_system_;
    return;
  }
  SystemCounts& counts = systems_[frame.system];
  ++counts.frames;
  counts.is_signed += frame.is_signed ? 1 : 0;
  counts.components.insert(frame.component);
  counts.version = static_cast<std::uint8_t>(frame.version);
  counts.last_heard = heard.at;
  note_robot(heard, frame, counts, name_of);
  if (!heard.in_stream) {
    note_sequence(heard, frame, counts);
  }
  if (const auto* heartbeat = std::get_if<Heartbeat>(&message)) {
    counts.heartbeat = *heartbeat;
  } else if (const auto* rare = std::get_if<HighLatency>(&message); rare != nullptr && rare->heartbeat) {
    counts.heartbeat = rare->heartbeat;
  } else if (const auto* sync = std::get_if<TimeSync>(&message)) {
    note_trip(heard, frame, *sync);
  }
}

void Systems::take_wrong(const Frame& frame) {
  const auto listed = systems_.find(frame.system);
  ++(listed != systems_.end() ? listed->second.wrong_crc : of_no_system_);
}

void Systems::forget_robots() {
  for (auto& [system, counts] : systems_) {
    counts.robots.clear();
  }
  last_sequence_.clear();
}

void Systems::note_sequence(const Heard& heard, const Frame& frame, SystemCounts& counts) {
  const Channel channel{heard.from, frame.system, frame.component, heard.channel};
  const auto found = last_sequence_.find(channel);
  if (found == last_sequence_.end()) {
    if (last_sequence_.size() < kChannels) {
      last_sequence_.emplace(channel, Sequence{frame.sequence});
    }
    return;
  }
  Sequence& known = found->second;
  const auto gap = static_cast<std::uint8_t>(frame.sequence - known.last - 1);
  if (gap > kFarthestGap) {
    ++counts.behind;
    const bool goes_on = frame.sequence == static_cast<std::uint8_t>(known.behind + 1);
    known.run = goes_on ? static_cast<std::uint8_t>(known.run + 1) : std::uint8_t{1};
    known.behind = frame.sequence;
    if (known.run < kRestartAfter) {
      return;
    }
  } else {
    counts.lost += gap;
  }
  known = {frame.sequence};
}

// Ground stations and companions may pass on what others say, so this is no error, but worth a word.
void Systems::note_robot(const Heard& heard, const Frame& frame, SystemCounts& counts,
                         const std::function<std::string(RobotIndex)>& name_of) {
  if (counts.robots.empty()) {
    counts.robots.insert(heard.body);
    return;
  }
  if (counts.robots.size() == 1 && counts.robots.contains(heard.body)) {
    return;
  }
  ++counts.from_others;
  const RobotIndex first = *counts.robots.begin();
  if (counts.robots.insert(heard.body).second) {
    report_(
        fmt::format("MAVLink: robot {} sends as system {}, which robot {} uses; unless it passes on what that one "
                    "says, give every vehicle its own id, or choose whose positions count with `system_id`",
                    name_of(heard.body), frame.system, name_of(first)));
  }
}

void Systems::note_trip(const Heard& heard, const Frame& frame, const TimeSync& sync) {
  if (sync.tc1 == 0) {
    ++systems_[frame.system].timesync.requests;
    if (trips_.size() == kWaitingTrips) {
      trips_.pop_front();
    }
    trips_.push_back({frame.system, sync.ts1, heard.at});
    return;
  }
  const auto asked = std::find_if(trips_.begin(), trips_.end(), [&sync, &frame](const Trip& trip) {
    return trip.ts1 == sync.ts1 && trip.system != frame.system;
  });
  if (asked == trips_.end()) {
    return;
  }
  TimeSyncTrips& trips = systems_[asked->system].timesync;
  trips.last = heard.at - asked->asked;
  trips.least = trips.answers == 0 ? trips.last : std::min(trips.least, trips.last);
  trips.most = std::max(trips.most, trips.last);
  ++trips.answers;
  trips_.erase(asked);
}

}  // namespace hilgate::mavlink
