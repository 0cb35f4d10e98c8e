// SPDX-License-Identifier: Apache-2.0
#include "path/air/receivers.h"

#include <algorithm>
#include <limits>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/phy/spreading.h"

namespace hilgate {

void Receivers::begin(std::span<const std::uint32_t> starting, std::span<const std::uint32_t> on_air, HostTime at) {
  for (const std::uint32_t index : starting) {
    transmitters_.of(transmitters_[index].robot)->follows = {};
  }
  frame_ = nullptr;
  audiences_.each_reached(starting, [&](std::uint32_t member) {
    Transmitter& receiver = transmitters_[member];
    if (receiver.answers_until > at || is_on_air(receiver, on_air)) {
      return;
    }
    weigh(*strongest(receiver.robot, starting), on_air);
    if (stands_out(receiver, at)) {
      receiver.follows = {frame_->robot, at, frame_->on_air_until};
    }
  });
}

bool Receivers::is_on_air(const Transmitter& receiver, std::span<const std::uint32_t> on_air) const {
  return receiver.transmitting || (receiver.station.edca && std::ranges::any_of(on_air, [&](std::uint32_t member) {
                                     return transmitters_[member].robot == receiver.robot;
                                   }));
}

// Requires that one of them can reach it.
const Transmitter* Receivers::strongest(std::uint32_t robot, std::span<const std::uint32_t> starting) {
  if (starting.size() == 1) {
    return &transmitters_[starting.front()];
  }
  const Transmitter* found = nullptr;
  float most = 0;
  for (const std::uint32_t index : starting) {
    const Transmitter& frame = transmitters_[index];
    const LinkState* const link = transmitters_.signals().between(frame.robot, robot);
    const float power = transmitters_.powers().of(frame.robot)[robot];
    if ((link == nullptr || link->reachable) && (found == nullptr || power > most)) {
      found = &frame;
      most = power;
    }
  }
  return found;
}

// Does nothing for the frame at hand.
void Receivers::weigh(const Transmitter& frame, std::span<const std::uint32_t> on_air) {
  if (frame_ == &frame) {
    return;
  }
  const PhyMode& mode = transmitters_.mode(frame.on_air_mode);
  frame_ = &frame;
  frame_dbm_ = transmitters_.powers().of(frame.robot);
  followed_db_ = mode.capture.value;
  others_.clear();
  for (const std::uint32_t sender : on_air) {
    const Transmitter& other = transmitters_[sender];
    if (&other != &frame) {
      const PhyMode& theirs = transmitters_.mode(other.on_air_mode);
      others_.push_back({.dbm = transmitters_.powers().of(other.robot),
                         .robot = other.robot,
                         .same_spreading = theirs.spreading == mode.spreading,
                         .lock_db = needed_over(mode, theirs, mode.lock).value,
                         .capture_db = needed_over(mode, theirs, mode.capture).value});
    }
  }
  all_alike_db_ = others_.empty() ? 0 : db_of(static_cast<double>(others_.size()));
}

// The powers of the others add up. Mostly the strongest decides, and no power of ten is needed.
bool Receivers::stands_out(const Transmitter& receiver, HostTime at) {
  constexpr double kRoundedDb = 1e-6;  // more than rounding makes of a sum
  const auto own_dbm = static_cast<double>(frame_dbm_[receiver.robot]);
  const bool captures = receiver.follows.until > at;
  double most_dbm = -std::numeric_limits<double>::infinity();
  needed_dbm_.clear();
  for (const Other& other : others_) {
    const bool followed = captures && other.robot == receiver.follows.from;
    if (followed && !other.same_spreading) {
      return false;  // the receiver despreads by another factor
    }
    const double margin_db = followed ? followed_db_ : captures ? other.capture_db : other.lock_db;
    const double needed_dbm = static_cast<double>(other.dbm[receiver.robot]) + margin_db;
    if (own_dbm < needed_dbm - kRoundedDb) {
      return false;
    }
    most_dbm = std::max(most_dbm, needed_dbm);
    needed_dbm_.push_back(needed_dbm);
  }
  if (own_dbm > most_dbm + all_alike_db_ + kRoundedDb) {
    return true;
  }
  double others_mw = 0;
  for (const double needed_dbm : needed_dbm_) {
    others_mw += ratio_of_db(needed_dbm);
  }
  return others_mw == 0 || ratio_of_db(own_dbm) >= others_mw;
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
