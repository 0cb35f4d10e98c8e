// SPDX-License-Identifier: Apache-2.0
#include "path/air/receivers.h"

#include <algorithm>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/phy/spreading.h"

namespace hilgate {

void Receivers::begin(std::span<const std::uint32_t> members, std::span<const std::uint32_t> starting, HostTime at) {
  for (const std::uint32_t index : starting) {
    transmitters_.of(transmitters_[index].robot)->follows = {};
  }
  on_air_.clear();
  for (const std::uint32_t member : members) {
    if (transmitters_[member].transmitting) {
      on_air_.push_back(member);
    }
  }
  for (const std::uint32_t member : members) {
    Transmitter& receiver = transmitters_[member];
    if (transmitters_.of(receiver.robot) == &receiver && !is_on_air(receiver) && receiver.answers_until <= at) {
      hear(receiver, starting, at);
    }
  }
}

bool Receivers::is_on_air(const Transmitter& receiver) const {
  return receiver.transmitting || (receiver.station.edca && std::ranges::any_of(on_air_, [&](std::uint32_t member) {
                                     return transmitters_[member].robot == receiver.robot;
                                   }));
}

void Receivers::hear(Transmitter& receiver, std::span<const std::uint32_t> starting, HostTime at) {
  const Transmitter* const frame = strongest(receiver.robot, starting);
  if (frame != nullptr && stands_out(*frame, receiver, at)) {
    receiver.follows = {frame->robot, at, frame->on_air_until};
  }
}

// Null where none is reachable.
const Transmitter* Receivers::strongest(std::uint32_t robot, std::span<const std::uint32_t> starting) const {
  const Transmitter* found = nullptr;
  float most = 0;
  for (const std::uint32_t index : starting) {
    const Transmitter& frame = transmitters_[index];
    const LinkState* const link = transmitters_.signals().between(frame.robot, robot);
    const float power = transmitters_.signals().power_dbm(frame.robot, robot);
    if ((link == nullptr || link->reachable) && (found == nullptr || power > most)) {
      found = &frame;
      most = power;
    }
  }
  return found;
}

bool Receivers::stands_out(const Transmitter& frame, const Transmitter& receiver, HostTime at) const {
  const AirSignals& signals = transmitters_.signals();
  const PhyMode& mode = transmitters_.mode(frame.on_air_mode);
  const bool captures = receiver.follows.until > at;
  double others = 0;
  for (const std::uint32_t sender : on_air_) {
    const Transmitter& other = transmitters_[sender];
    if (&other != &frame) {
      const PhyMode& theirs = transmitters_.mode(other.on_air_mode);
      const bool followed = captures && other.robot == receiver.follows.from;
      if (followed && theirs.spreading != mode.spreading) {
        return false;  // the receiver despreads by another factor
      }
      const Decibels margin = followed ? mode.capture : needed_over(mode, theirs, captures ? mode.capture : mode.lock);
      others += ratio_of_db(static_cast<double>(signals.power_dbm(other.robot, receiver.robot)) + margin.value);
    }
  }
  return others == 0 || ratio_of_db(static_cast<double>(signals.power_dbm(frame.robot, receiver.robot))) >= others;
}

void Receivers::follow(std::uint32_t robot, const Transmitter& from, HostTime since) {
  if (Transmitter* const receiver = transmitters_.of(robot)) {
    receiver->follows = {from.robot, since, from.on_air_until};
  }
}

bool Receivers::follows(std::uint32_t robot, std::uint32_t from, HostTime since) const {
  const Transmitter* const receiver = transmitters_.of(robot);
  return receiver == nullptr || (receiver->follows.from == from && receiver->follows.since == since);
}

}  // namespace hilgate
