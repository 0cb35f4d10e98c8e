// SPDX-License-Identifier: Apache-2.0
#include "gateway/link_fates.h"

namespace hilgate {

LinkMemories::LinkMemories(const std::vector<LinkRules>& rules) {
  for (std::size_t link = 0; link < rules.size(); ++link) {
    if (rules[link].impairments) {
      place_.resize(rules.size(), kNone);
      place_[link] = static_cast<std::uint32_t>(states_.size());
      states_.emplace_back();
    }
  }
}

void LinkMemories::copy_from(LinkMemories& other) {
  for (std::uint32_t link = 0; link < place_.size(); ++link) {
    if (place_[link] != kNone) {
      if (const ImpairmentState* known = other.of(LinkId{link})) {
        states_[place_[link]] = *known;
      }
    }
  }
}

LinkFates::LinkFates(std::uint64_t seed, const AirPlan& air, LinkTableFeed& feed)
    : seed_(seed), air_(air), feed_(&feed), links_(air.rules.size()), memories_(air.rules) {
  for (std::uint32_t link = 0; link < links_.size(); ++link) {
    links_[link].meter = first_meter(seed, LinkId{link});
  }
}

FateInputs LinkFates::inputs(const Sending& sending, LinkId link, const LinkNow& now) {
  const LinkTable& table = feed_->front();
  return {table.links[link.value()],
          air_.rules[link.value()],
          mode(now, sending.group),
          {sending.frame.data, sending.frame.head_length},
          sending.frame.length,
          sending.group,
          sending.frame.arrived,
          table.at.time_since_epoch() + (sending.frame.arrived - table.begins),
          memories_.of(link)};
}

}  // namespace hilgate
