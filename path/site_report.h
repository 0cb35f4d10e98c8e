// SPDX-License-Identifier: Apache-2.0
// What a gateway knows of the others of its site, for people.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "frame/duration_histogram.h"

namespace hilgate {

/// Frames to and from a gateway in any other state than kHere are dropped.
enum class PeerState : std::uint8_t {
  kAwaited,             // no packet since the start
  kHere,                // one air with this gateway
  kBeginning,           // there, and has no simulation time yet
  kMissing,             // silent
  kOtherKey,            // packets come from its address, and their proof is missing or wrong
  kOtherConfiguration,  // its file, or a file that it names, is another
  kOtherVersion,        // its program is another
  kClockApart,          // its clock is farther away than the site allows
  kOtherZero,           // its simulation began at another instant, without contact to the others; one begins anew
  kCount,
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(PeerState::kCount)> kPeerStateNames = {
    "awaited",       "here",        "beginning", "missing", "other_key", "other_configuration",
    "other_version", "clock_apart", "other_zero"};
constexpr std::string_view name(PeerState state) {
  return kPeerStateNames[static_cast<std::size_t>(state)];
}

/// Why packets to the tunnel's port were not taken.
enum class SiteRefusal : std::uint8_t {
  kSource,     // from an address that is no gateway's, or not that of the gateway it names
  kMalformed,  // truncated, or no GENEVE with our option
  kForeign,    // another site's
  kVersion,    // another version of the option
  kProof,      // without the site's key; or with a proof where there is no key
  kDigest,     // frames by another configuration
  kEpoch,      // of an earlier life of the gateway
  kReplay,     // that sequence number was there before, or is too old, or the frame was sent too long ago
  kRobot,      // between robots that are not at these two gateways, or of no medium that may be decided there
  kInstant,    // to be released more than an hour from now, captured after it was sent or long before, or no valid
               // instants
  kState,      // frames of a gateway that is not one air with this one
  kNoBuffer,   // no memory for them
  kCount,
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(SiteRefusal::kCount)> kSiteRefusalNames = {
    "source", "malformed", "foreign", "version", "proof", "digest",
    "epoch",  "replay",    "robot",   "instant", "state", "no_buffer"};
constexpr std::string_view name(SiteRefusal refusal) {
  return kSiteRefusalNames[static_cast<std::size_t>(refusal)];
}

/// By which configurations frames are taken: the one in force, and around a change the one before it or after it.
struct SiteDigests {
  std::uint64_t now = 0;
  std::uint64_t other = 0;  // the same when nothing changes

  [[nodiscard]] bool has(std::uint64_t digest) const { return digest == now || digest == other; }
};

/// Of one gateway. Plain data.
struct PeerReport {
  PeerState state = PeerState::kAwaited;
  std::optional<Nanoseconds> clock_offset{};  // its clock minus ours
  std::optional<WallTime> zero{};             // when its simulation time was 0; nothing while it has none
  Nanoseconds silent{0};                      // since its last packet; undefined while it is awaited
  std::array<char, 32> version{};             // of its program, ends with a zero where it is shorter
  std::uint64_t digest = 0;                   // of its configuration
  std::uint64_t sent = 0;                     // frames
  std::uint64_t received = 0;                 // frames taken
  Nanoseconds request_way{0};                 // as it reports: from capture at another gateway until it decides, 99 %
  std::uint64_t late = 0;                     // of these: after their release time, and released at once
  std::uint64_t lost = 0;                     // packets that it sent and that have not come, by sequence numbers
  DurationHistogram way;                      // from there to here, by both clocks
  DurationHistogram late_by;
};

/// A gateway begins anew as others: windows that it computes for that in addition to its run.
struct SiteRejoining {
  std::uint64_t windows = 0;  // computed
  std::uint64_t of = 0;       // windows of the simulation until now; grows
};

struct SiteReport {
  struct Peer {
    std::string name;
    std::string address;
    PeerReport report;
  };
  std::string site;
  std::string gateway;
  std::uint64_t digest = 0;
  std::string version;
  std::vector<Peer> peers;  // in the order of the configuration, without this gateway
  std::array<std::uint64_t, static_cast<std::size_t>(SiteRefusal::kCount)> refused{};
  /// A medium that several gateways have stations of.
  struct Medium {
    std::string name;
    std::string decider;                // the gateway; "": not decided
    std::vector<std::string> gateways;  // that may decide it, in their order
  };
  std::vector<Medium> media{};
  DurationHistogram request_way{};  // from capture at another gateway until it is decided here

  /// The shortest delay that frames from any gateway that is here have been released in time with, 99 % of them. Those
  /// of shared media have been on two ways: to the gateway that decides them, and from there.
  [[nodiscard]] Nanoseconds causality_floor() const {
    Nanoseconds floor = request_way.quantile(0.99);
    for (const Peer& peer : peers) {
      const Nanoseconds ways = peer.report.way.quantile(0.99) + peer.report.request_way;
      floor = peer.report.state == PeerState::kHere ? std::max(floor, ways) : floor;
    }
    return floor;
  }
};

}  // namespace hilgate
