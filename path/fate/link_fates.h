// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "frame/frame.h"
#include "frame/id.h"
#include "netsim_link/air_plan.h"
#include "path/fate/air_signals.h"
#include "path/fate/fate.h"
#include "path/fate/link_table_feed.h"
#include "path/fate/table_robots.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// What ROS-NetSim's reference does to one receiver's packet of its own, where configuration asks for its results
/// (netsim_link/rosnetsim/rosnetsim_compat.h): IPv4 to a group becomes IPv4 to `receiver_ip` (host byte order; 0 leaves
/// it), then bits are flipped at the rate `ber`. `frame` is a whole Ethernet frame, its IP packet at `payload`. False:
/// the reference drops it.
[[nodiscard]] bool spoil_as_reference(std::span<std::byte> frame, std::uint32_t payload, std::uint32_t receiver_ip,
                                      double ber, FrameRandom random);

}  // namespace hilgate

// All links as the packet loop sees them: their newest state, their rules, and what they remember; and the fates drawn
// from these.

namespace hilgate {

/// A frame with its sender, before its receivers and fates are known.
struct Sending {
  const Frame& frame;
  RobotSlot from;
  std::uint32_t payload = 0;  // offset behind the MAC header
  bool group = false;         // multicast or broadcast
};

/// State of links from frame to frame, in addition to their LinkNow: of those with impairments.
class LinkMemories {
 public:
  explicit LinkMemories(const std::vector<LinkRules>& rules);
  [[nodiscard]] ImpairmentState* of(LinkSlot link) {
    return index_.empty() || !index_[link.value()] ? nullptr : &states_[index_[link.value()].value().value()];
  }
  /// Of the link's flow rules, in their order.
  [[nodiscard]] std::span<FlowMemory> flows_of(LinkSlot link);
  /// As at first.
  void forget(LinkSlot link);
  /// Takes over what the same link remembers there, of its flow rules what those with the same counter remember.
  void copy_from(LinkMemories& other);
  [[nodiscard]] std::size_t bytes() const {
    return index_.size() * sizeof(OptionalIndex<MemoryIndex>) + states_.size() * sizeof(ImpairmentState) +
           flows_.size() * sizeof(FlowMemory);
  }

 private:
  using MemoryIndex = Id<struct MemoryTag>;  // in states_
  struct LinkFlows {
    std::shared_ptr<const FlowRules> rules;  // null: none
    std::uint32_t first = 0;                 // of its memories, in flows_
  };

  void add_flows(const std::shared_ptr<const FlowRules>& rules);  // of the link that was added last
  [[nodiscard]] const LinkFlows* rules_of(LinkSlot link) const;
  void copy_flows(LinkSlot link, LinkMemories& other);

  std::vector<OptionalIndex<MemoryIndex>> index_;  // by LinkSlot
  std::vector<ImpairmentState> states_;
  std::vector<LinkFlows> with_flows_;  // by MemoryIndex, as far as the last link that has rules
  std::vector<FlowMemory> flows_;
};

/// Used by one thread. Does not allocate after construction.
class LinkFates {
 public:
  LinkFates(std::uint64_t seed, const AirPlan& air, TableRobots robots, LinkTableFeed& feed);
  LinkFates(LinkFates&&) = default;
  LinkFates& operator=(LinkFates&&) = default;

  /// Takes over the state of the links of `old`, which has as many, and leaves it without.
  void take_over(LinkFates& old);

  /// The links from and to a slot as they were at first.
  void begin_anew(RobotSlot robot);

  /// Takes the newest table, if there is one that is newer.
  bool take_table() {
    if (!feed_->take()) {
      return false;
    }
    ++version_;
    return true;
  }

  [[nodiscard]] bool has_table() const { return feed_->has_newer(); }

  /// The link with the newest table folded in.
  LinkNow& now(LinkSlot link) {
    LinkNow& now = links_[link.value()];
    if (now.table != version_) {
      now.fold(state(link), air_.rules[link.value()], version_);
    }
    return now;
  }
  /// The link for one frame that was judged elsewhere: with this hazard instead of the table's.
  LinkNow& judged(LinkSlot link, BitHazard hazard) {
    LinkNow& now = links_[link.value()];
    now.fold({.unicast = hazard, .multicast = hazard}, air_.rules[link.value()], 0);
    return now;
  }
  /// Signal strengths in the newest table; until the next is taken.
  [[nodiscard]] AirSignals signals() const { return {feed_->front().links, robots_.by_slot(), robots_.robots()}; }
  [[nodiscard]] const LinkTable& table() const { return feed_->front(); }
  /// Where a station of a mesh sends frames to `to`, by the newest table; none: no route.
  [[nodiscard]] OptionalIndex<RobotSlot> next_hop(RobotSlot at, RobotSlot to) const {
    const MeshRoutes* const routes = table().routes.get();
    const OptionalIndex<RobotIndex> from = robots_.index_of(at);
    const OptionalIndex<RobotIndex> destination = robots_.index_of(to);
    if (routes == nullptr || !from || !destination ||
        routes->ends <= std::max(from.value(), destination.value()).value()) {
      return {};
    }
    const OptionalIndex<RobotIndex> next = routes->next_hop(from.value(), destination.value());
    return next && robots_.has(next.value()) ? robots_.slot_of(next.value()) : OptionalIndex<RobotSlot>{};
  }
  /// When simulated time was 0, by the newest table.
  [[nodiscard]] HostTime start() const { return table().begins - table().at.time_since_epoch(); }
  /// The draws of the link's next frame, and that it has had them elsewhere.
  [[nodiscard]] FrameRandom random(LinkSlot link) const {
    return link_random(seed_, link, links_[link.value()].frames);
  }
  /// Draws of a stream that is no link's.
  [[nodiscard]] FrameRandom random_of(std::uint32_t stream, std::uint64_t number) const {
    return {seed_, stream, number};
  }
  void skip(LinkSlot link) { ++links_[link.value()].frames; }
  /// In the newest table; out of reach where an end has no robot.
  [[nodiscard]] const LinkState& state(LinkSlot link) const;
  [[nodiscard]] const LinkRules& rules(LinkSlot link) const { return air_.rules[link.value()]; }
  [[nodiscard]] const PhyMode& mode(const LinkNow& now, bool group) const { return air_.modes[now.mode(group)]; }

  [[nodiscard]] const PhyMode& mode(std::uint8_t index) const { return air_.modes[index]; }

  /// Whether the next frame needs no draw: then it has been counted, and `now.delay` is its delay.
  bool clean(const Sending& sending, LinkNow& now) {
    return arrives_clean(now, mode(now, sending.group), sending.frame.length, sending.payload, sending.group);
  }
  /// The fate of the next frame, in full.
  Fate draw(const Sending& sending, LinkSlot link, LinkNow& now) {
    return draw_fate(seed_, link, inputs(sending, link, now), now);
  }

  /// Whether errors take a radio frame that several messages share, by its number at the sender. The same for all of
  /// them.
  bool loses_radio_frame(LinkSlot link, std::uint64_t number, std::uint64_t bits, bool group) {
    const LinkNow& link_now = now(link);
    const ErrorPolicy policy = rules(link).policy;
    const double hazard = link_now.hazard(group);
    if (hazard == 0 || (policy != ErrorPolicy::kFcsDrop && policy != ErrorPolicy::kArq)) {
      return false;
    }
    FrameRandom random(seed_, link.value(), kRadioFrames | number);
    return random.uniform() <= -std::expm1(-hazard * static_cast<double>(bits));
  }

  [[nodiscard]] std::size_t bytes() const { return links_.size() * sizeof(LinkNow) + memories_.bytes(); }

 private:
  static constexpr std::uint64_t kRadioFrames = std::uint64_t{1} << 63;  // keeps their draws apart from frames'

  void begin_anew(LinkSlot link);
  FateInputs inputs(const Sending& sending, LinkSlot link, const LinkNow& now);

  std::uint64_t seed_;
  AirPlan air_;
  LinkTableFeed* feed_;
  std::uint64_t version_ = 1;   // of the table that is folded in; no LinkNow begins with it
  std::vector<LinkNow> links_;  // by LinkSlot
  TableRobots robots_;
  LinkMemories memories_;
};

}  // namespace hilgate
