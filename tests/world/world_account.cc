// SPDX-License-Identifier: Apache-2.0
#include "tests/world/world_account.h"

#include <algorithm>
#include <utility>

namespace hilgate::test {
namespace {

std::uint64_t mix(std::uint64_t sum, std::uint64_t word) {
  sum = (sum ^ word) * 0xFF51AFD7ED558CCD;
  return sum ^ (sum >> 32);
}

std::uint64_t dropped(const PathTotals& totals, DropReason reason) {
  return totals.dropped[static_cast<std::size_t>(reason)];
}

}  // namespace

WorldAccount::WorldAccount(WorldPromise promise, std::size_t ports, WorldFaults& faults)
    : promise_(std::move(promise)),
      robots_(promise_.port_of.size()),
      ports_(ports),
      faults_(faults),
      robots_on_(ports),
      watched_port_(ports),
      absent_(robots_),
      by_way_(robots_ * ports),
      last_(robots_ * ports * 2) {
  for (std::size_t robot = 0; robot < robots_; ++robot) {
    ++robots_on_[promise_.port_of[robot]];
    watched_port_[promise_.port_of[robot]] = promise_.watched[robot];
  }
}

void WorldAccount::left(std::uint32_t port, const FrameIdentity& frame, std::uint64_t digest, HostTime now) {
  ++gone_;
  digest_ = mix(mix(digest_, digest), static_cast<std::uint64_t>(now.time_since_epoch().count()) + port);
  if (frame.kind == FrameKind::kOwn) {
    return;
  }
  faults_.require(frame.kind == FrameKind::kRobots, "frame {} of kind {} was delivered", frame.number,
                  static_cast<int>(frame.kind));
  check_place(port, frame);
  check_time(port, frame, now);
  check_order(port, frame);
  if (promise_.watched[frame.from] && watched_port_[port]) {
    watched_digest_ += mix(mix(digest, frame.number), (std::uint64_t{frame.from} << 32) + port);
  }
}

void WorldAccount::check_place(std::uint32_t port, const FrameIdentity& frame) {
  const bool to_all = frame.to == FrameIdentity::kEverybody;
  faults_.require(to_all ? port != frame.port : port == promise_.port_of[frame.to],
                  "frame {} of robot {} to {} left by port {}", frame.number, frame.from, frame.to, port);
}

void WorldAccount::check_time(std::uint32_t port, const FrameIdentity& frame, HostTime now) {
  Nanoseconds least = Nanoseconds::max();
  for (std::uint32_t to = 0; to < robots_; ++to) {
    if (frame.to == to || (frame.to == FrameIdentity::kEverybody && promise_.port_of[to] == port)) {
      least = std::min(least, promise_.least[frame.from * robots_ + to]);
    }
  }
  faults_.require(now >= frame.arrived + least, "frame {} of robot {} left by port {} {} ns early, {} ns after it came",
                  frame.number, frame.from, port, (frame.arrived + least - now).count(), (now - frame.arrived).count());
}

void WorldAccount::check_order(std::uint32_t port, const FrameIdentity& frame) {
  if (!promise_.in_order || robots_on_[port] != 1) {
    return;
  }
  const bool apart = promise_.groups_apart[frame.from] && frame.to == FrameIdentity::kEverybody;
  std::uint64_t& last = last_[(frame.from * ports_ + port) * 2 + (apart ? 1 : 0)];
  faults_.require(promise_.twice ? frame.number + 1 >= last : frame.number + 1 > last,
                  "frame {} of robot {} left by port {} behind frame {}", frame.number, frame.from, port, last - 1);
  last = frame.number + 1;
}

void WorldAccount::restart() {
  captured_ = released_ = 0;
  by_kind_ = {};
  std::ranges::fill(by_way_, 0);
}

void WorldAccount::check(const PathTotals& totals, std::size_t most_held) {
  faults_.require(totals.balanced(), "{} deliveries and {} injected, but {} released, {} dropped, {} held",
                  totals.deliveries, totals.injected, totals.released, totals.dropped_total(), totals.held);
  faults_.require(totals.frames_captured == captured_, "{} frames captured, {} counted", captured_,
                  totals.frames_captured);
  faults_.require(totals.released == released_, "{} frames released, {} counted", released_, totals.released);
  faults_.require(totals.held <= most_held, "{} deliveries held, {} allowed", totals.held, most_held);
}

// Who is refused for what he is, unless he was refused for his port's share of the memory before.
void WorldAccount::check_refusals(const PathTotals& totals) {
  const std::pair<FrameKind, DropReason> reasons[] = {{FrameKind::kRunt, DropReason::kRunt},
                                                      {FrameKind::kOversize, DropReason::kOversize},
                                                      {FrameKind::kUnknown, DropReason::kUnknownSender},
                                                      {FrameKind::kSpoofed, DropReason::kSpoofedSender}};
  std::uint64_t missing = 0;
  for (const auto& [kind, reason] : reasons) {
    const std::uint64_t expected = by_kind_[static_cast<std::size_t>(kind)];
    faults_.require(dropped(totals, reason) <= expected, "{} dropped as {}, {} sent", dropped(totals, reason),
                    name(reason), expected);
    missing += expected - std::min(expected, dropped(totals, reason));
  }
  faults_.require(missing <= dropped(totals, DropReason::kMemoryShare), "{} frames of no robot were taken", missing);
}

void WorldAccount::check_links(const PathTotals& totals, const std::vector<LinkCounts>& links) {
  check_refusals(totals);
  std::array<std::uint64_t, kDropReasons> by_reason{};
  std::uint64_t deliveries = 0;
  std::uint64_t released = 0;
  for (std::uint32_t from = 0; from < robots_; ++from) {
    std::vector<std::uint64_t> by_port(ports_);
    for (std::uint32_t to = 0; to < robots_; ++to) {
      const LinkCounts& link = links[from * robots_ + to];
      by_port[promise_.port_of[to]] += link.released;
      deliveries += link.deliveries;
      released += link.released;
      for (std::size_t i = 0; i < kDropReasons; ++i) {
        by_reason[i] += link.dropped[i];
      }
    }
    for (std::uint32_t port = 0; port < ports_; ++port) {
      faults_.require(by_port[port] == by_way_[from * ports_ + port],
                      "{} frames of robot {} released by port {}, its links count {}", by_way_[from * ports_ + port],
                      from, port, by_port[port]);
    }
  }
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    faults_.require(by_reason[i] <= totals.dropped[i], "links dropped {} as {}, the path {}", by_reason[i],
                    name(static_cast<DropReason>(i)), totals.dropped[i]);
  }
  const std::uint64_t lost = std::accumulate(by_reason.begin(), by_reason.end(), std::uint64_t{0});
  faults_.require(deliveries == released + lost + totals.held, "links: {} deliveries, {} released, {} dropped, {} held",
                  deliveries, released, lost, totals.held);
}

void WorldAccount::check_settled(const PathTotals& totals, const std::vector<LinkCounts>& links) {
  check_links(totals, links);
  for (std::size_t link = 0; link < links.size(); ++link) {
    faults_.require(links[link].idle(), "link {} -> {}: {} deliveries, {} released, {} dropped, and nothing is held",
                    link / robots_, link % robots_, links[link].deliveries, links[link].released,
                    links[link].dropped_total());
  }
}

}  // namespace hilgate::test
