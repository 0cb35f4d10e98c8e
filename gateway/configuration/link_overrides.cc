// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/link_overrides.h"

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <utility>

namespace hilgate {
namespace {

using Values = std::bitset<32>;  // a bit for each value that an item may have

Values values_of(const LinkOverride& item) {
  Values values;
  std::size_t next = 0;
  for (const bool has : {item.delay.has_value(), item.ber.has_value(), item.policy.has_value(),
                         item.protect_headers.has_value(), item.path_loss.has_value()}) {
    values.set(next++, has);
  }
  for_each_impairment([&](const auto& model) { values.set(next++, model.has_value()); }, item.impairments);
  return values;
}

}  // namespace

LinkOverrides::LinkOverrides(const Configuration& configuration) : flows_(&configuration.flows) {
  std::unordered_map<Ends, Values> given_later;
  for (auto item = configuration.links.rbegin(); item != configuration.links.rend(); ++item) {
    const Values values = values_of(*item);
    Values& later = given_later[key(item->from, item->to)];
    if ((values & ~later).any()) {
      all_.push_back(&*item);
    }
    later |= values;
  }
  std::ranges::reverse(all_);
  for (const LinkOverride* item : all_) {
    by_ends_[key(item->from, item->to)].push_back(item);
  }
}

LinkOverrides::Ends LinkOverrides::key(End from, End to) {
  const auto number = [](End end) { return end ? Ends{end->value()} + 1 : Ends{0}; };
  return number(from) << 32U | number(to);
}

const LinkOverrides::Items& LinkOverrides::of(End from, End to) const {
  static const Items none;
  const auto found = by_ends_.find(key(from, to));
  return found == by_ends_.end() ? none : found->second;
}

namespace {

void lay_over(const LinkOverride& change, LinkRules& rules, Impairments& impairments) {
  if (change.delay) {
    rules.extra_delay = change.delay->base;
    impairments.jitter = change.delay->jitter;
  }
  if (change.ber) {
    rules.extra_hazard = error_hazard(*change.ber);
    rules.burst_continues = 1 - 1 / change.ber->burst;
  }
  rules.policy = change.policy.value_or(rules.policy);
  rules.protect_headers = change.protect_headers.value_or(rules.protect_headers);
  lay_over(change.impairments, impairments);
}

std::shared_ptr<const FlowRules> rules_of(const std::vector<const FlowOverride*>& flows) {
  if (flows.empty()) {
    return nullptr;
  }
  auto rules = std::make_shared<FlowRules>();
  for (const FlowOverride* flow : flows) {
    rules->rules.push_back(flow->rule);
  }
  return rules;
}

// Items lie in the configuration in file order.
void merge_into(LinkOverrides::Items& items, const LinkOverrides::Items& more) {
  if (!more.empty()) {
    const auto middle = static_cast<std::ptrdiff_t>(items.size());
    items.insert(items.end(), more.begin(), more.end());
    std::inplace_merge(items.begin(), items.begin() + middle, items.end());
  }
}

}  // namespace

SenderRules::SenderRules(const LinkOverrides& overrides, RobotIndex from) : overrides_(overrides), from_(from) {
  merge_into(to_any_, overrides.of(std::nullopt, std::nullopt));
  merge_into(to_any_, overrides.of(from, std::nullopt));
}

LinkOverrides::Items SenderRules::items(RobotIndex receiver) const {
  LinkOverrides::Items items = to_any_;
  merge_into(items, overrides_.of(std::nullopt, receiver));
  merge_into(items, overrides_.of(from_, receiver));
  return items;
}

SenderRules::Flows SenderRules::flows_to(RobotIndex receiver) const {
  Flows flows;
  for (const FlowOverride& flow : overrides_.flows()) {
    if (flow.covers(from_, receiver)) {
      flows.push_back(&flow);
    }
  }
  return flows;
}

LinkRules SenderRules::to(RobotIndex receiver, LinkRules base) {
  LinkOverrides::Items changes = items(receiver);
  Flows flows = flows_to(receiver);
  const bool has_own = base.impairments != nullptr;
  Impairments impairments = has_own ? *base.impairments : Impairments{};
  for (const LinkOverride* change : changes) {
    lay_over(*change, base, impairments);
  }
  if (idle(impairments) && flows.empty()) {
    return base;
  }
  if (has_own || !last_made_ || changes != last_ || flows != last_flows_) {
    impairments.flows = rules_of(flows);
    last_made_ = std::make_shared<const Impairments>(std::move(impairments));
    last_flows_ = std::move(flows);
    last_ = has_own ? LinkOverrides::Items{nullptr} : std::move(changes);  // not shared
  }
  base.impairments = last_made_;
  return base;
}

}  // namespace hilgate
