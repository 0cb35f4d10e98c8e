// SPDX-License-Identifier: Apache-2.0
// What the air is like on every link for one window: netsim's answer, the packet loop's input.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "clock/time.h"
#include "frame/id.h"
#include "host/large_pages.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

/// Next hops of mesh media. Does not change once it is in a link table.
struct MeshRoutes {
  std::size_t ends = 0;                           // numbers in the table
  std::vector<OptionalIndex<RobotIndex>> next{};  // by at * ends + destination; none: no route
  /// For each mesh, in the order of the media: the robots that reach one another. One part where it is whole.
  std::vector<std::vector<std::vector<RobotIndex>>> parts{};
  std::uint64_t changes = 0;  // of any next hop, since the run began
  SimTime changed_at{};       // the last one

  [[nodiscard]] OptionalIndex<RobotIndex> next_hop(RobotIndex at, RobotIndex destination) const {
    return next[at.value() * ends + destination.value()];
  }
  /// The stations between the two, in order; empty without a route or without relays.
  [[nodiscard]] std::vector<RobotIndex> relays(RobotIndex from, RobotIndex to) const {
    std::vector<RobotIndex> way;
    OptionalIndex<RobotIndex> at = next_hop(from, to);
    while (at && at.value() != to && way.size() < ends) {
      way.push_back(at.value());
      at = next_hop(at.value(), to);
    }
    return at ? way : std::vector<RobotIndex>{};
  }
};

/// Ordered pairs (sender, receiver), as sender * robots + receiver: of robots in link tables, and of slots in the path.
struct LinkIndexTag;
using LinkIndex = Id<LinkIndexTag>;
struct LinkTag;
using LinkSlot = Id<LinkTag>;

constexpr LinkIndex link_of(RobotIndex sender, RobotIndex receiver, std::size_t robots) {
  return LinkIndex{static_cast<std::uint32_t>(sender.value() * robots + receiver.value())};
}
constexpr LinkSlot link_of(RobotSlot sender, RobotSlot receiver, std::size_t slots) {
  return LinkSlot{static_cast<std::uint32_t>(sender.value() * slots + receiver.value())};
}

/// Bit-error hazard of a bit error rate: -ln(1 - BER). 0 is error-free, infinity is BER 1.
/// A frame of n bits is clean with probability exp(-n * hazard), exactly, for independent errors.
struct BitHazard {
  double per_bit = 0;
};

/// State of one link for a window. Plain data, copied whole at window boundaries. One line of the cache: of large
/// tables few links are touched, and these are far apart in memory.
struct alignas(64) LinkState {
  BitHazard unicast{};    // at unicast_mode's rate
  BitHazard multicast{};  // at multicast_mode's rate
  Nanoseconds delay{0};   // propagation and fixed latency
  float rssi_dbm = 0;     // received power; 0 when the netsim has no radio
  float snr_db = 0;
  std::uint8_t unicast_mode = 0;  // index into LinkTable's modes
  std::uint8_t multicast_mode = 0;
  bool reachable = true;            // false: below sensitivity or out of range, every frame is lost
  bool line_of_sight = true;        // for people
  float probing_ns = 0;             // time on the air that each unicast frame bears for its sender's rate control
  float ack_loss = 0;               // probability that the receiver's acknowledgement is lost on its way back
  std::array<float, 3> combined{};  // hazard of the second, third and any further try where LinkRules::combines
};

enum class AttachmentState : std::uint8_t {
  kNone,      // no access point within reach
  kRoaming,   // between two access points, or on the way to its first: nothing is sent or received
  kAttached,  // to AttachmentTo::at
};

/// Where a robot is on the network, in infrastructure mode. `Robot` is RobotIndex in link tables, RobotSlot in the
/// path.
template <class Robot>
struct AttachmentTo {
  using State = AttachmentState;

  State state = State::kNone;
  OptionalIndex<Robot> at{};  // kAttached: the access point; none: the distribution system itself

  [[nodiscard]] bool is_at(OptionalIndex<Robot> point) const { return state == State::kAttached && at == point; }
  friend bool operator==(const AttachmentTo&, const AttachmentTo&) = default;
};
using Attachment = AttachmentTo<RobotIndex>;

/// Of two robots that do not hear one another: no common radio, or so far apart that no power is computed.
inline constexpr LinkState kSilentLink{.reachable = false};

/// All links' states for one window. In infrastructure mode access points are numbered after the robots and have links
/// of their own; the states between two robots then hold their reception of one another, not the conditions of their
/// frames.
struct LinkTable {
  std::uint64_t window = 0;
  SimTime at{};
  HostTime begins{};                           // of the window, where sim time runs with host time
  std::vector<LinkState> links;                // by LinkIndex; the diagonal is unused
  std::vector<Attachment> attachments{};       // by RobotIndex; empty: no infrastructure mode
  std::shared_ptr<const MeshRoutes> routes{};  // null: no mesh
  bool sparse = false;                         // all links outside `heard` are kSilentLink
  std::vector<std::uint32_t> heard{};          // LinkIndex each, in any order; some may be silent as well

  /// All links are silent, and the table is sparse.
  void silence(std::size_t size) {
    if (sparse && links.size() == size) {
      for (std::size_t i = 0; i < heard.size(); ++i) {
        __builtin_prefetch(&links[heard[std::min(i + kAhead, heard.size() - 1)]], 1);
        links[heard[i]] = kSilentLink;
      }
    } else {
      reserve_large_pages(links, size);
      links.assign(size, kSilentLink);
    }
    sparse = true;
    heard.clear();
  }
  /// Every link that may be other than silent.
  template <class Change>
  void each_heard(const Change& change) {
    if (!sparse) {
      std::for_each(links.begin(), links.end(), change);
      return;
    }
    for (const std::uint32_t link : heard) {
      change(links[link]);
    }
  }
  /// Becomes equal to `other`; where both are sparse, copies only the links in `heard`.
  void take_over(const LinkTable& other) {
    if (!other.sparse || !sparse || links.size() != other.links.size()) {
      *this = other;
      return;
    }
    silence(links.size());
    for (std::size_t i = 0; i < other.heard.size(); ++i) {
      const std::uint32_t soon = other.heard[std::min(i + kAhead, other.heard.size() - 1)];
      __builtin_prefetch(&other.links[soon]);
      __builtin_prefetch(&links[soon], 1);
      links[other.heard[i]] = other.links[other.heard[i]];
    }
    window = other.window;
    at = other.at;
    begins = other.begins;
    attachments = other.attachments;
    routes = other.routes;
    heard = other.heard;
  }

  static constexpr std::size_t kAhead = 16;  // links far apart in memory: as many at a time as a processor waits for
};

}  // namespace hilgate
