// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/link_overrides.h"

#include <algorithm>
#include <bitset>

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

}  // namespace hilgate
