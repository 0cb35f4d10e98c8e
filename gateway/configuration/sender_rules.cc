// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sender_rules.h"

#include <memory>
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

}  // namespace

SenderRules::SenderRules(const Configuration& configuration, RobotIndex from) {
  for (const LinkOverride& change : configuration.links) {
    if (change.from.value_or(from) == from) {
      changes_.push_back(&change);
    }
  }
}

LinkRules SenderRules::to(RobotIndex receiver, LinkRules base) const {
  Impairments impairments = base.impairments ? *base.impairments : Impairments{};
  for (const LinkOverride* change : changes_) {
    if (change->to.value_or(receiver) == receiver) {
      lay_over(*change, base, impairments);
    }
  }
  if (!idle(impairments)) {
    base.impairments = std::make_shared<const Impairments>(std::move(impairments));
  }
  return base;
}

}  // namespace hilgate
