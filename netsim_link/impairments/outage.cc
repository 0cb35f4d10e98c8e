// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/outage.h"

#include <algorithm>

#include "config/range.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

Outage read_outage(YamlReader& item) {
  constexpr Range<Nanoseconds> kDay{0ns, 24h, "0s to 24h"};
  constexpr Range<Nanoseconds> kLength{1ns, 24h, "1ns to 24h"};
  Outage outage{require_within(item, "at", kDay).value_or(0ns), require_within(item, "for", kLength).value_or(0ns),
                read_within(item, "every", kDay).value_or(0ns)};
  if (item.has("every") && outage.every <= outage.length) {
    item.fault("every", "is not longer than the outage, so the link would always be down");
  }
  return outage;
}

}  // namespace

std::optional<Outages> Outages::read(YamlReader& link) {
  if (!link.has(kKey)) {
    return std::nullopt;
  }
  Outages outages;
  for (YamlReader& item : link.items(kKey)) {
    outages.times.push_back(read_outage(item));
  }
  return outages;
}

std::optional<DropReason> Outages::lose(const ImpairedFrame& frame, State& /*state*/, FrameRandom& /*random*/) const {
  const bool out = std::any_of(times.begin(), times.end(),
                               [&frame](const Outage& outage) { return outage.covers(frame.since_start); });
  return out ? std::make_optional(DropReason::kOutage) : std::nullopt;
}

}  // namespace hilgate
