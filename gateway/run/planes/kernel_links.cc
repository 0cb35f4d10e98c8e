// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/planes/kernel_links.h"

#include <cstddef>

namespace hilgate {

void KernelLinks::use(const PathSettings& settings) {
  settings_ = settings;
  robots_ = settings.table_robots();
  links_.resize(settings.air.rules.size());
  suspend();
}

void KernelLinks::suspend() {
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    set(LinkSlot{link}, LinkDecision::kUser);
    links_[link].was_perfect = false;
  }
}

void KernelLinks::decide(const LinkTable& table, const Held& held) {
  const std::size_t slots = settings_.robots.size();
  for (std::uint32_t at = 0; at < links_.size(); ++at) {
    const std::size_t from = at / slots;
    const std::size_t to = at % slots;
    const OptionalIndex<LinkIndex> index = robots_.index_of(LinkSlot{at});
    if (!index || settings_.robots[from].port == settings_.robots[to].port || settings_.robots[from].vlan != 0 ||
        settings_.robots[to].vlan != 0 ||  // the kernel changes no tags
        (settings_.robots[from].body != 0 && settings_.robots[from].body == settings_.robots[to].body) ||
        settings_.air.role(from) != AirRole::kNone || settings_.air.role(to) == AirRole::kAccessPoint) {
      continue;
    }
    const LinkState& state = table.links[index.value().value()];
    Link& link = links_[at];
    const bool is_perfect = perfect(LinkSlot{at}, state);
    LinkDecision decision = state.reachable ? LinkDecision::kUser : LinkDecision::kDrop;
    if (is_perfect && (link.decision == LinkDecision::kPass || (link.was_perfect && !held(LinkSlot{at})))) {
      decision = LinkDecision::kPass;
    }
    link.was_perfect = is_perfect;
    set(LinkSlot{at}, decision);
  }
}

bool KernelLinks::perfect(LinkSlot link, const LinkState& state) const {
  const LinkRules& rules = settings_.air.rules[link.value()];
  const auto& station = settings_.air.stations[link.value() / settings_.robots.size()];
  return state.reachable && state.unicast.per_bit == 0 && state.delay.count() == 0 && rules.extra_hazard.per_bit == 0 &&
         rules.extra_delay.count() == 0 && !rules.impairments && !station;
}

void KernelLinks::set(LinkSlot at, LinkDecision decision) {
  Link& link = links_[at.value()];
  if (link.decision != decision) {
    attribute(at);
    const auto slots = static_cast<std::uint32_t>(settings_.robots.size());
    kernel_.set_link(RobotSlot{at.value() / slots}, RobotSlot{at.value() % slots}, decision);
    link.decision = decision;
  }
}

// What the kernel has counted since the last time was decided as the link has been since then.
void KernelLinks::attribute(LinkSlot at) {
  Link& link = links_[at.value()];
  const auto slots = static_cast<std::uint32_t>(settings_.robots.size());
  const hg_counter now = kernel_.link_counter(RobotSlot{at.value() / slots}, RobotSlot{at.value() % slots});
  hg_counter& share = link.decision == LinkDecision::kDrop ? link.dropped : link.passed;
  share.frames += now.frames - link.seen.frames;
  share.bytes += now.bytes - link.seen.bytes;
  link.seen = now;
}

void KernelLinks::add_to(LinkSlot at, LinkCounts& counts) {
  attribute(at);
  const Link& link = links_[at.value()];
  counts.deliveries += link.passed.frames + link.dropped.frames;
  counts.released += link.passed.frames;
  counts.bytes_released += link.passed.bytes;
  counts.dropped[static_cast<std::size_t>(DropReason::kUnreachable)] += link.dropped.frames;
}

void KernelLinks::add_to(PathTotals& totals) {
  for (std::uint32_t at = 0; at < links_.size(); ++at) {
    LinkCounts counts;
    add_to(LinkSlot{at}, counts);
    totals.deliveries += counts.deliveries;
    totals.released += counts.released;
    totals.bytes_released += counts.bytes_released;
    totals.dropped[static_cast<std::size_t>(DropReason::kUnreachable)] += counts.dropped_total();
  }
}

}  // namespace hilgate
