// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sender_rules.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hilgate {
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

LinkRules SenderRules::to(RobotIndex receiver, LinkRules base) {
  LinkOverrides::Items changes = items(receiver);
  const bool has_own = base.impairments != nullptr;
  Impairments impairments = has_own ? *base.impairments : Impairments{};
  for (const LinkOverride* change : changes) {
    lay_over(*change, base, impairments);
  }
  if (idle(impairments)) {
    return base;
  }
  if (has_own || !last_made_ || changes != last_) {
    last_made_ = std::make_shared<const Impairments>(std::move(impairments));
    last_ = has_own ? LinkOverrides::Items{nullptr} : std::move(changes);  // not shared
  }
  base.impairments = last_made_;
  return base;
}

}  // namespace hilgate
