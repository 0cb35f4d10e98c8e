// SPDX-License-Identifier: GPL-2.0-only
// What became of each frame at each receiver, put together from what ns-3's layers report while it simulates.
//
// A reception is a verdict at once. That a frame is lost shows by its end: a sender gives up, or a frame for a group
// has been sent. Some copies may still be under way then (relayed by an access point, routed over several hops), so an
// end counts when nothing has been reported of the frame for `linger`. The cause is the state of the receiver's radio
// at its last try: it was busy, it failed to decode, or it heard nothing.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "netsim_link/network_simulator.h"

namespace hilgate::ns3net {

class Fates {
 public:
  /// `linger` as above; a frame that has no end within `give_up` of its capture is lost for `kOther`.
  Fates(std::size_t robots, Nanoseconds linger, Nanoseconds give_up);

  /// A frame enters the network now, cut into `pieces` (1 to 32) of which a receiver needs all.
  void open(const CapturedPacket& packet, SimTime now, std::uint32_t pieces);
  /// A receiver has it.
  void received(std::uint64_t packet, RobotIndex receiver, std::uint32_t piece, SimTime now);
  /// A device begins to send it, or has sent it.
  void trying(std::uint64_t packet, SimTime now);
  void sent(std::uint64_t packet, SimTime now);
  /// A receiver's radio begins to receive it, or stopped to for a reason.
  void heard(std::uint64_t packet, RobotIndex receiver);
  void hindered(std::uint64_t packet, RobotIndex receiver, AirDrop cause);
  /// A sender gives it up; kNone: because of what happened at the receivers.
  void given_up(std::uint64_t packet, AirDrop cause, SimTime now);

  /// Moves what is known by `now` to the answer.
  void settle(SimTime now, NetworkAnswer& answer);
  [[nodiscard]] std::size_t open_packets() const { return entries_.size(); }

 private:
  struct Share {  // of one receiver
    RobotIndex robot{};
    std::uint32_t pieces_left = 0;  // a bit each
    bool heard = false;
    AirDrop cause = AirDrop::kNone;
  };
  struct Entry {
    bool group = false;
    std::uint32_t tries = 0;
    AirDrop cause = AirDrop::kNone;
    SimTime due{};
    SimTime last{};  // the latest that it may take
    std::vector<Share> shares{};
  };
  using Entries = std::map<std::uint64_t, Entry>;

  Share* share_of(std::uint64_t packet, RobotIndex receiver);
  void end_by(Entries::iterator entry, SimTime due);
  [[nodiscard]] static std::uint32_t retries(const Entry& entry);
  void lose(const Entries::value_type& entry);

  std::size_t robots_;
  Nanoseconds linger_;
  Nanoseconds give_up_;
  Entries entries_;
  std::set<std::pair<SimTime, std::uint64_t>> due_;
  std::vector<Verdict> verdicts_;
  std::vector<std::uint64_t> done_;
};

}  // namespace hilgate::ns3net
