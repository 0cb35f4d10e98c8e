// SPDX-License-Identifier: Apache-2.0
// The routing protocol of a mesh: which stations know one another as neighbours, and the routes that follow.
//
// Each station sends a hello every interval, at an instant of its own; whether another receives it is drawn from the
// state of the link, as a group frame of kHelloBytes. Two stations are neighbours once each has received one, until one
// of them has missed `lost_after` in a row (IEEE 802.11-2020, 14.3: peering by beacons; RFC 3626, 7 and RFC 8966,
// appendix A: hellos). Routes change at once when neighbours are found or lost, and follow changes of the metric every
// `update`. They are the shortest paths of the metric over all neighbours, the same for all stations: what a protocol
// settles on; its own messages take no time on the air. All this is in simulated time, and the same for one seed.
#pragma once

#include <cstdint>
#include <vector>

#include "clock/time.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// The mesh of one medium. Control thread.
class MeshRouting {
 public:
  static constexpr std::uint32_t kHelloBytes = 100;

  /// `members` by their numbers in the tables, in increasing order.
  MeshRouting(const MeshProtocol& protocol, std::vector<RobotIndex> members, std::uint64_t seed);

  /// Advances to `table.at`; true when the routes may have changed, and at the first call. `ends` are the numbers in
  /// the table. At the first call, stations that most likely receive a hello are neighbours.
  bool update(const LinkTable& table, std::size_t ends, const AirPlan& plan);

  /// Adds the routes between the members, and the parts that they are in.
  void write(MeshRoutes& routes) const;

 private:
  struct Hearing {
    std::uint16_t history = 0;  // a bit for each hello, the newest is the lowest
    std::uint16_t missed = 0;   // in a row
    bool known = false;
  };

  [[nodiscard]] std::size_t pair(std::size_t from, std::size_t to) const { return from * members_.size() + to; }
  [[nodiscard]] bool neighbours(std::size_t one, std::size_t other) const {
    return hearing_[pair(one, other)].known && hearing_[pair(other, one)].known;
  }
  [[nodiscard]] const LinkState& link(const LinkTable& table, std::size_t from, std::size_t to) const;
  [[nodiscard]] std::int64_t hellos_until(std::size_t member, SimTime at) const;
  void begin(const LinkTable& table, const AirPlan& plan);
  bool hear(const LinkTable& table, const AirPlan& plan, std::size_t from, std::int64_t first, std::int64_t end);
  [[nodiscard]] double cost(const LinkTable& table, const AirPlan& plan, std::size_t from, std::size_t to) const;
  void find_routes(const LinkTable& table, const AirPlan& plan);

  MeshProtocol protocol_;
  std::vector<RobotIndex> members_;
  std::uint64_t seed_;
  std::size_t ends_ = 0;
  std::vector<Hearing> hearing_;     // by pair(): the receiver's of the sender
  std::vector<std::uint32_t> next_;  // by pair(at, destination): a member; members_.size() without a route
  SimTime at_{};
  SimTime updated_{};
  bool begun_ = false;
};

}  // namespace hilgate
