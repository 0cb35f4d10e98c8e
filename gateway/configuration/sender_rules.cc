// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sender_rules.h"

#include <memory>
#include <optional>
#include <utility>

namespace hilgate {
namespace {

template <class T>
void take(std::optional<T>& value, const std::optional<T>& change) {
  if (change) {
    value = change;
  }
}

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
  impairments.outages = change.outages.value_or(impairments.outages);
  take(impairments.loss, change.loss);
  take(impairments.rate, change.rate);
  take(impairments.reordering, change.reorder);
  take(impairments.duplication, change.duplicate);
}

// A link whose only impairment is a loss of 0 % is as fast as one without.
bool changes_anything(const Impairments& impairments) {
  const auto* independent = impairments.loss ? std::get_if<IndependentLoss>(&*impairments.loss) : nullptr;
  const bool loses = impairments.loss && (independent == nullptr || independent->probability > 0);
  return loses || !impairments.outages.empty() || impairments.rate || impairments.jitter || impairments.reordering ||
         impairments.duplication;
}

}  // namespace

SenderRules::SenderRules(const Configuration& configuration, RobotId from) {
  for (const LinkOverride& change : configuration.links) {
    if (change.from.value_or(from) == from) {
      changes_.push_back(&change);
    }
  }
}

LinkRules SenderRules::to(RobotId receiver, LinkRules base) const {
  Impairments impairments;
  for (const LinkOverride* change : changes_) {
    if (change->to.value_or(receiver) == receiver) {
      lay_over(*change, base, impairments);
    }
  }
  if (changes_anything(impairments)) {
    base.impairments = std::make_shared<const Impairments>(std::move(impairments));
  }
  return base;
}

}  // namespace hilgate
