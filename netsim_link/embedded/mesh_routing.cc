// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/mesh_routing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <utility>

#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

constexpr std::uint16_t kAllHeard = 0xFFFF;
/// Keeps hellos' draws apart from those of links and stations.
constexpr std::uint32_t kHelloStream = 0xE000'0000;

double hello_loss(const LinkState& link, const AirPlan& plan) {
  const PhyMode& mode = plan.modes[link.multicast_mode];
  return link.reachable
             ? -std::expm1(-link.multicast.per_bit * static_cast<double>(mode.error_bits(MeshRouting::kHelloBytes)))
             : 1.0;
}

// IEEE 802.11-2020, 14.9: the time that a frame of 8192 bits takes, repeats included.
double airtime(const LinkState& link, const AirPlan& plan) {
  constexpr std::uint32_t kTestBytes = 1024;
  constexpr double kMostLoss = 0.99;
  const PhyMode& mode = plan.modes[link.unicast_mode];
  const double loss = -std::expm1(-link.unicast.per_bit * static_cast<double>(mode.error_bits(kTestBytes)));
  return static_cast<double>((mode.air_time(kTestBytes) + mode.ack).count()) / (1 - std::min(loss, kMostLoss));
}

// The share of the last ten hellos (RFC 7181 and De Couto et al. 2003 take as many) that was received.
double heard_share(std::uint16_t history) {
  constexpr std::uint16_t kLastTen = 0x3FF;
  return std::max(std::popcount(static_cast<std::uint16_t>(history & kLastTen)), 1) / 10.0;
}

}  // namespace

MeshRouting::MeshRouting(const MeshProtocol& protocol, std::vector<RobotIndex> members, std::uint64_t seed)
    : protocol_(protocol),
      members_(std::move(members)),
      seed_(seed),
      hearing_(members_.size() * members_.size()),
      next_(hearing_.size(), static_cast<std::uint32_t>(members_.size())) {}

const LinkState& MeshRouting::link(const LinkTable& table, std::size_t from, std::size_t to) const {
  return table.links[link_of(members_[from], members_[to], ends_).value()];
}

std::int64_t MeshRouting::hellos_until(std::size_t member, SimTime at) const {
  const Nanoseconds own =
      protocol_.hello * static_cast<std::int64_t>(member) / static_cast<std::int64_t>(members_.size());
  const Nanoseconds since = at.time_since_epoch() - own;
  return since.count() < 0 ? 0 : since / protocol_.hello + 1;
}

bool MeshRouting::update(const LinkTable& table, std::size_t ends, const AirPlan& plan) {
  ends_ = ends;
  bool changed = false;
  if (!begun_) {
    begin(table, plan);
    changed = true;
  } else if (table.at > at_) {
    for (std::size_t from = 0; from < members_.size(); ++from) {
      changed = hear(table, plan, from, hellos_until(from, at_), hellos_until(from, table.at)) || changed;
    }
  }
  at_ = std::max(at_, table.at);
  if (!changed && at_ - updated_ < protocol_.update) {
    return false;
  }
  updated_ = at_;
  find_routes(table, plan);
  return true;
}

void MeshRouting::begin(const LinkTable& table, const AirPlan& plan) {
  begun_ = true;
  at_ = table.at;
  for (std::size_t from = 0; from < members_.size(); ++from) {
    for (std::size_t to = 0; to < members_.size(); ++to) {
      constexpr double kLikely = 0.5;
      Hearing& hearing = hearing_[pair(from, to)];
      hearing.known = from != to && hello_loss(link(table, from, to), plan) < kLikely;
      hearing.history = hearing.known ? kAllHeard : 0;
    }
  }
}

// In windows longer than an interval, all of its hellos met the links of the last.
bool MeshRouting::hear(const LinkTable& table, const AirPlan& plan, std::size_t from, std::int64_t first,
                       std::int64_t end) {
  bool changed = false;
  for (std::size_t to = 0; first < end && to < members_.size(); ++to) {
    if (to == from) {
      continue;
    }
    Hearing& hearing = hearing_[pair(from, to)];
    const bool before = neighbours(from, to);
    const double loss = hello_loss(link(table, from, to), plan);
    for (std::int64_t hello = std::max(first, end - std::numeric_limits<std::uint16_t>::digits); hello < end; ++hello) {
      FrameRandom random(seed_, kHelloStream | static_cast<std::uint32_t>(pair(from, to)),
                         static_cast<std::uint64_t>(hello));
      const bool received = random.uniform() > loss;
      hearing.history = static_cast<std::uint16_t>(hearing.history << 1 | (received ? 1 : 0));
      hearing.missed = received ? std::uint16_t{0} : static_cast<std::uint16_t>(std::min(hearing.missed + 1, 0xFFFF));
      hearing.known = received || (hearing.known && hearing.missed < protocol_.lost_after);
    }
    changed = changed || neighbours(from, to) != before;
  }
  return changed;
}

double MeshRouting::cost(const LinkTable& table, const AirPlan& plan, std::size_t from, std::size_t to) const {
  switch (protocol_.metric) {
    case MeshMetric::kAirtime:
      return airtime(link(table, from, to), plan);
    case MeshMetric::kEtx:
      return 1 / (heard_share(hearing_[pair(from, to)].history) * heard_share(hearing_[pair(to, from)].history));
    case MeshMetric::kHops:
      break;
  }
  return 1;
}

// Dijkstra's algorithm from each destination against the direction of frames. Of equal ways the one over the station
// with the least number.
void MeshRouting::find_routes(const LinkTable& table, const AirPlan& plan) {
  const std::size_t count = members_.size();
  struct Edge {
    std::uint32_t from;
    double cost;
  };
  std::vector<std::vector<Edge>> into(count);
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      if (from != to && neighbours(from, to)) {
        into[to].push_back({from, cost(table, plan, from, to)});
      }
    }
  }
  using Reached = std::pair<double, std::uint32_t>;
  std::ranges::fill(next_, static_cast<std::uint32_t>(count));
  std::vector<double> far(count);
  for (std::uint32_t destination = 0; destination < count; ++destination) {
    std::ranges::fill(far, std::numeric_limits<double>::infinity());
    far[destination] = 0;
    std::priority_queue<Reached, std::vector<Reached>, std::greater<>> reached;
    reached.emplace(0, destination);
    while (!reached.empty()) {
      const auto [distance, at] = reached.top();
      reached.pop();
      if (distance > far[at]) {
        continue;
      }
      for (const Edge& edge : into[at]) {
        if (distance + edge.cost < far[edge.from]) {
          far[edge.from] = distance + edge.cost;
          next_[pair(edge.from, destination)] = at;
          reached.emplace(far[edge.from], edge.from);
        }
      }
    }
  }
}

void MeshRouting::write(MeshRoutes& routes) const {
  routes.ends = ends_;
  routes.next.resize(ends_ * ends_);
  for (std::size_t at = 0; at < members_.size(); ++at) {
    for (std::size_t destination = 0; destination < members_.size(); ++destination) {
      if (const std::uint32_t next = next_[pair(at, destination)]; next < members_.size()) {
        routes.next[link_of(members_[at], members_[destination], ends_).value()] = members_[next];
      }
    }
  }
  // Neighbours are so both ways, and so are routes: a part is what its first member has routes to.
  std::vector<std::vector<RobotIndex>>& parts = routes.parts.emplace_back();
  std::vector<std::size_t> firsts;  // of the parts
  for (std::size_t member = 0; member < members_.size(); ++member) {
    const auto own =
        std::ranges::find_if(firsts, [&](std::size_t first) { return next_[pair(member, first)] < members_.size(); });
    const auto part = static_cast<std::size_t>(own - firsts.begin());
    if (own == firsts.end()) {
      firsts.push_back(member);
      parts.emplace_back();
    }
    parts[part].push_back(members_[member]);
  }
}

}  // namespace hilgate
