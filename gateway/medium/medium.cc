// SPDX-License-Identifier: Apache-2.0
#include "gateway/medium/medium.h"

#include <algorithm>
#include <cassert>

#include "gateway/medium/medium_rules.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

// Queues of a station: a base station has one for every receiver, and one for all.
std::size_t queues_of(const Station& station, const AirPlan& plan) {
  return station.base ? 1 + plan.stations.size() : 1;
}

std::size_t all_queues(const AirPlan& plan) {
  std::size_t sum = 0;
  for (const auto& station : plan.stations) {
    sum += station ? station->queue_frames * queues_of(*station, plan) : 0;
  }
  return sum;
}

}  // namespace

Medium::Medium(const AirPlan& plan, std::uint64_t seed, std::size_t least)
    : seed_(seed),
      modes_(plan.modes),
      contender_of_(plan.stations.size(), kNone),
      jobs_(std::max(all_queues(plan), least)) {
  for (const AirDomain& rules : plan.domains) {
    domains_.push_back({.rules = rules, .members = {}, .winners = {}});
  }
  std::size_t results = 0;  // of one step
  for (std::uint32_t robot = 0; robot < plan.stations.size(); ++robot) {
    const auto& station = plan.stations[robot];
    if (!station) {
      continue;
    }
    Domain& domain = domains_.at(station->domain);
    contender_of_[robot] = static_cast<std::uint32_t>(contenders_.size());
    Station rules = *station;
    rules.base = rules.base && plan.role(robot) == AirRole::kNone;
    for (std::size_t queue = 0; queue < queues_of(rules, plan); ++queue) {
      if (plan.role(robot) != AirRole::kStation) {
        domain.members.push_back(static_cast<std::uint32_t>(contenders_.size()));
      }
      contenders_.push_back({.robot = robot,
                             .domain = rules.domain,
                             .flow = queue == 0 ? AirJob::kGroup : static_cast<std::uint32_t>(queue - 1),
                             .rules = rules,
                             .window = domain.rules.cw_min,
                             .met = {},
                             .credit = budget(rules.duty)});
      results += std::max(rules.queue_frames, 1U);
    }
  }
  for (Domain& domain : domains_) {
    const std::size_t most = plan.roles.empty() ? domain.members.size() : contenders_.size();
    domain.members.reserve(most);
    domain.winners.reserve(most);
    if (domain.rules.access == AirAccess::kOverlap) {
      for (Contender& contender : contenders_) {
        contender.met.reserve(most);
      }
    }
  }
  finished_.reserve(std::max(results, capacity()));
}

bool Medium::has_room(RobotId sender, std::uint32_t to) const {
  const Contender& station = contenders_[contender_for(sender.value(), to)];
  return station.queued < station.rules.queue_frames && jobs_.used() < jobs_.capacity();
}

std::uint32_t Medium::queued(RobotId sender) const {
  std::uint32_t sum = 0;
  for (const Contender& station : contenders_) {
    sum += station.robot == sender.value() ? station.queued : 0;
  }
  return sum;
}

bool Medium::enqueue(RobotId sender, const AirJob& job) {
  Contender& station = contenders_[contender_for(sender.value(), job.to)];
  return station.queued < station.rules.queue_frames && append(station, job);
}

void Medium::continue_from(const Medium& old, const Contender& before, Contender& station) {
  Domain& domain = domains_[station.domain];
  const Domain& domain_before = old.domains_[before.domain];
  domain.idle_from = std::max(domain.idle_from, domain_before.idle_from);
  station.window = std::clamp(before.window, domain.rules.cw_min, domain.rules.cw_max);
  station.backing_off = before.backing_off;
  station.backoff = before.backoff;
  station.draws = before.draws;
  station.idle_from = std::max(before.idle_from, domain_before.idle_from);
  station.credit = std::min(before.credit, budget(station.rules.duty));
  station.credit_at = before.credit_at;
  if (!domain_before.members.empty() &&
      domain_before.members.front() == static_cast<std::uint32_t>(&before - old.contenders_.data())) {
    domain.busy_ns.add(domain_before.busy_ns.get());
    domain.acks_lost.add(domain_before.acks_lost.get());
  }
}

bool Medium::append(Contender& station, AirJob job) {
  const NodeIndex node = jobs_.take();
  if (node == kNoNode) {
    return false;
  }
  job.next = kNoNode;
  job.on_air = job.through = false;
  job.done = job.done && station.rules.aggregation.frames > 1;  // else what is in front goes first anyway
  jobs_[node] = job;
  if (station.head != kNoNode) {
    jobs_[station.tail].next = node;
  } else {
    Domain& domain = domains_[station.domain];
    station.head = node;
    station.granted = std::max(station.granted, domain.granted);
    defer_if_busy(domain, station);
  }
  station.tail = node;
  ++station.queued;
  return true;
}

HostTime Medium::access_time(const Domain& domain, const Contender& station) const {
  const HostTime counted_down = domain.idle_from + domain.rules.difs + domain.rules.slot * station.backoff;
  return std::max(counted_down, jobs_[station.head].arrived);
}

// Goes on to the next event of a domain, if there is one by `now`.
bool Medium::step(Domain& domain, HostTime now) {
  switch (domain.rules.access) {
    case AirAccess::kOverlap:
      return overlap(domain, now);
    case AirAccess::kTurns:
      return take_turns(domain, now);
    case AirAccess::kGranted:
      return grant(domain, now);
    case AirAccess::kContention:
      break;
  }
  return contend(domain, now);
}

// Grants the medium once, if someone's turn has come by `now`.
bool Medium::contend(Domain& domain, HostTime now) {
  HostTime earliest = HostTime::max();
  for (const std::uint32_t member : domain.members) {
    const Contender& station = contenders_[member];
    if (station.head == kNoNode) {
      continue;
    }
    const HostTime access = access_time(domain, station);
    if (access < earliest) {
      earliest = access;
      domain.winners.clear();
    }
    if (access == earliest) {
      domain.winners.push_back(member);
    }
  }
  if (earliest > now) {
    domain.winners.clear();
    return false;
  }
  count_down(domain, earliest);
  if (domain.winners.size() == 1) {
    transmit_alone(domain, contenders_[domain.winners.front()], earliest);
  } else {
    collide(domain, earliest);
  }
  domain.winners.clear();
  for (const std::uint32_t member : domain.members) {
    defer_if_busy(domain, contenders_[member]);
  }
  return true;
}

// A station that finds the medium busy waits a random time once it is idle again (10.3.4.3). It may have been enqueued
// before or after the transmission that is in its way was granted.
void Medium::defer_if_busy(const Domain& domain, Contender& station) {
  const HostTime idle_from = domain.rules.access == AirAccess::kOverlap ? station.idle_from : domain.idle_from;
  if (station.head != kNoNode && !station.backing_off && jobs_[station.head].arrived < idle_from) {
    draw_backoff(station);
  }
}

// Every station counts down the idle slots up to `until`; the winners, and who has nothing to send, arrive at zero.
void Medium::count_down(Domain& domain, HostTime until) {
  const Nanoseconds idle = until - (domain.idle_from + domain.rules.difs);
  assert(idle.count() >= 0);  // nobody has access earlier
  const std::int64_t slots = slots_in(idle, domain.rules);
  for (const std::uint32_t member : domain.members) {
    Contender& station = contenders_[member];
    station.backing_off = station.backing_off && slots < station.backoff;
    station.backoff -= static_cast<std::uint32_t>(std::min<std::int64_t>(slots, station.backoff));
  }
}

void Medium::draw_backoff(Contender& station) {
  FrameRandom random(seed_, kStationStream | station.robot, station.draws++);
  station.backoff = static_cast<std::uint32_t>(random.below(station.window + 1));
  station.backing_off = true;
}

void Medium::transmit_alone(Domain& domain, Contender& station, HostTime at) {
  const Exchange exchange = begin_exchange(station);
  if (exchange.announced() && noise_takes_announcement(station)) {
    occupy(domain, at, exchange.first());
    return end_exchange(station, domain, at + exchange.rts, Outcome::kUnanswered);
  }
  occupy(domain, at, exchange.length());
  end_exchange(station, domain, at + exchange.before_frame() + exchange.frame, Outcome::kClean);
}

void Medium::collide(Domain& domain, HostTime at) {
  Nanoseconds longest{0};
  for (const std::uint32_t winner : domain.winners) {
    Contender& station = contenders_[winner];
    const Exchange exchange = begin_exchange(station);
    longest = std::max(longest, exchange.first());
    end_exchange(station, domain, at + (exchange.announced() ? exchange.rts : exchange.frame), Outcome::kSpoiled);
  }
  occupy(domain, at, longest);
}

void Medium::occupy(Domain& domain, HostTime from, Nanoseconds length) {
  domain.idle_from = from + length;
  domain.add_busy(length);
}

void Medium::add_use(std::vector<AirUse>& uses) const {
  uses.resize(std::max(uses.size(), domains_.size()));
  for (std::size_t i = 0; i < domains_.size(); ++i) {
    uses[i].busy += busy(static_cast<std::uint32_t>(i));
    uses[i].acks_lost += domains_[i].acks_lost.get();
  }
}

}  // namespace hilgate
