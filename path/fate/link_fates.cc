// SPDX-License-Identifier: Apache-2.0
#include "path/fate/link_fates.h"

#include <algorithm>
#include <utility>

#include "frame/headers.h"
#include "host/byte_cursor.h"
#include "netsim_link/rosnetsim/rosnetsim_compat.h"

namespace hilgate {

bool spoil_as_reference(std::span<std::byte> frame, std::uint32_t payload, std::uint32_t receiver_ip, double ber,
                        FrameRandom random) {
  const std::span<std::byte> packet = frame.subspan(payload);
  if (receiver_ip != 0 && EtherType{load_be<std::uint16_t>(frame.data() + payload - 2)} == EtherType::kIpv4) {
    rosnetsim::compat_readdress(packet, receiver_ip);
  }
  return rosnetsim::compat_flip(packet, ber, random);
}

LinkMemories::LinkMemories(const std::vector<LinkRules>& rules) {
  for (std::size_t link = 0; link < rules.size(); ++link) {
    if (rules[link].impairments) {
      index_.resize(rules.size());
      index_[link] = MemoryIndex{static_cast<std::uint32_t>(states_.size())};
      states_.emplace_back();
      add_flows(rules[link].impairments->flows);
    }
  }
}

void LinkMemories::add_flows(const std::shared_ptr<const FlowRules>& rules) {
  if (rules == nullptr) {
    return;
  }
  with_flows_.resize(states_.size());
  with_flows_.back() = {rules, static_cast<std::uint32_t>(flows_.size())};
  flows_.resize(flows_.size() + rules->rules.size());
}

const LinkMemories::LinkFlows* LinkMemories::rules_of(LinkSlot link) const {
  if (with_flows_.empty() || !index_[link.value()]) {
    return nullptr;
  }
  const std::uint32_t memory = index_[link.value()].value().value();
  return memory < with_flows_.size() && with_flows_[memory].rules != nullptr ? &with_flows_[memory] : nullptr;
}

std::span<FlowMemory> LinkMemories::flows_of(LinkSlot link) {
  const LinkFlows* const flows = rules_of(link);
  return flows != nullptr ? std::span(flows_).subspan(flows->first, flows->rules->rules.size())
                          : std::span<FlowMemory>{};
}

void LinkMemories::forget(LinkSlot link) {
  if (ImpairmentState* const memory = of(link)) {
    *memory = {};
    std::ranges::fill(flows_of(link), FlowMemory{});
  }
}

void LinkMemories::copy_from(LinkMemories& other) {
  for (std::uint32_t link = 0; link < index_.size(); ++link) {
    const ImpairmentState* const known = other.of(LinkSlot{link});
    if (index_[link] && known != nullptr) {
      states_[index_[link].value().value()] = *known;
      copy_flows(LinkSlot{link}, other);
    }
  }
}

void LinkMemories::copy_flows(LinkSlot link, LinkMemories& other) {
  const LinkFlows* const own = rules_of(link);
  const LinkFlows* const known = other.rules_of(link);
  if (own == nullptr || known == nullptr) {
    return;
  }
  for (std::size_t i = 0; i < own->rules->rules.size(); ++i) {
    const auto same = std::ranges::find(known->rules->rules, own->rules->rules[i].matched, &FlowRule::matched);
    if (same != known->rules->rules.end()) {
      flows_of(link)[i] = other.flows_of(link)[static_cast<std::size_t>(same - known->rules->rules.begin())];
    }
  }
}

LinkFates::LinkFates(std::uint64_t seed, const AirPlan& air, TableRobots robots, LinkTableFeed& feed)
    : seed_(seed),
      air_(air),
      feed_(&feed),
      links_(air_.rules.size()),
      robots_(std::move(robots)),
      memories_(air_.rules) {
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    links_[link].meter = first_meter(seed_, LinkSlot{link});
  }
}

void LinkFates::begin_anew(RobotSlot robot) {
  const std::size_t slots = robots_.slots();
  for (std::uint32_t other = 0; other < slots; ++other) {
    begin_anew(link_of(robot, RobotSlot{other}, slots));
    begin_anew(link_of(RobotSlot{other}, robot, slots));
  }
}

void LinkFates::begin_anew(LinkSlot link) {
  links_[link.value()] = {};
  links_[link.value()].meter = first_meter(seed_, link);
  memories_.forget(link);
}

void LinkFates::take_over(LinkFates& old) {
  std::swap(links_, old.links_);
  version_ = old.version_ + 1;  // every link is folded anew, by the new rules
  memories_.copy_from(old.memories_);
}

const LinkState& LinkFates::state(LinkSlot link) const {
  static constexpr LinkState kNobody{.reachable = false};
  const OptionalIndex<LinkIndex> index = robots_.index_of(link);
  return index ? feed_->front().links[index.value().value()] : kNobody;
}

FateInputs LinkFates::inputs(const Sending& sending, LinkSlot link, const LinkNow& now) {
  const LinkTable& table = feed_->front();
  return {state(link),
          air_.rules[link.value()],
          mode(now, sending.group),
          {sending.frame.data, sending.frame.head_length},
          sending.frame.length,
          sending.group,
          sending.frame.arrived,
          table.at.time_since_epoch() + (sending.frame.arrived - table.begins),
          memories_.of(link),
          sending.payload,
          memories_.flows_of(link)};
}

}  // namespace hilgate
