// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/status_parts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "config/radio_name.h"
#include "gateway/status/link_values.h"
#include "gateway/status/meters.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

void add_configured(const ConfiguredLink& configured, LinkStatus& link) {
  link.configured_delay = configured.delay;
  if (configured.rate_mbps) {
    link.configured_rate = BitsPerSecond{1e6 * *configured.rate_mbps};
  }
  if (configured.loss) {
    link.configured_loss = Probability{*configured.loss};
  }
  link.queue_limit = configured.queue;
}

void add_measured(const std::optional<MeasuredLink>& measured, LinkStatus& link) {
  if (!measured) {
    return;
  }
  link.measured_delay = measured->delay;
  link.measured_rate = BitsPerSecond{1e6 * measured->rate_mbps};
  if (measured->loss) {
    link.measured_loss = Probability{*measured->loss};
  }
}

void add_relays(const StatusInputs& in, RobotIndex from, RobotIndex to, LinkStatus& link) {
  const MeshRoutes* const routes = in.windows.table().routes.get();
  if (routes == nullptr || routes->ends != link_ends(in.configuration)) {
    return;
  }
  if (const std::vector<RobotIndex> relays = routes->relays(from, to); !relays.empty()) {
    link.via = names_of(relays, in.configuration);
  }
}

LinkStatus link_status(const StatusInputs& in, RobotIndex from, RobotIndex to, const LinkCounts& counters,
                       const LinkReading& reading) {
  const LinkRules& rules = in.air.rules[link_of(from, to, link_ends(in.configuration)).value()];
  const EffectiveLink effective = effective_link(rules, reading, in.windows.now());
  LinkStatus link{.from = in.configuration.robots[from.value()].name,
                  .to = in.configuration.robots[to.value()].name,
                  .reachable = reading.reachable,
                  .line_of_sight = reading.line_of_sight,
                  .rssi = {reading.rssi_dbm},
                  .snr = {reading.snr_db},
                  .rate = {1e6 * reading.rate_mbps},
                  .frame_loss = {reading.frame_loss},
                  .delay = reading.delay,
                  .effective_delay = effective.delay,
                  .effective_rate = {1e6 * effective.rate_mbps},
                  .effective_loss = {effective.loss},
                  .queue = counters.in_queue(),
                  .waiting = counters.waiting(),
                  .in = counters.deliveries,
                  .released = counters.released,
                  .bytes_released = counters.bytes_released,
                  .failed_tries = counters.failed_tries,
                  .damaged = counters.damaged,
                  .duplicated = counters.duplicated,
                  .marked = counters.marked,
                  .ecn_marked = counters.ecn_marked,
                  .dropped = drops_by_name(counters.dropped)};
  add_configured(configured_link(rules), link);
  add_measured(in.meters.links.last(from, to), link);
  add_relays(in, from, to, link);
  return link;
}

LinkReading reading_of(const StatusInputs& in, RobotIndex from, RobotIndex to) {
  return read_link(in.windows.table(), in.air, link_ends(in.configuration), from, to);
}

// A mark for each robot that was asked for.
std::vector<bool> wanted_robots(const StatusInputs& in) {
  std::vector<bool> wanted;
  for (const RobotConfig& robot : in.configuration.robots) {
    const auto is_it = [&robot](const std::string& name) { return stands_for(name, robot.name); };
    wanted.push_back(in.robots.empty() || std::ranges::any_of(in.robots, is_it));
  }
  return wanted;
}

}  // namespace

NamedCounts drops_by_name(const std::array<std::uint64_t, kDropReasons>& dropped) {
  NamedCounts counts;
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    if (dropped[i] > 0) {
      counts.emplace_back(std::string(kDropReasonTable[i].name), dropped[i]);
    }
  }
  return counts;
}

LinkList links_of(const StatusInputs& in) {
  LinkList list;
  const auto robots = static_cast<std::uint32_t>(in.configuration.robots.size());
  const std::vector<bool> wanted = wanted_robots(in);
  const std::vector<bool> here = robots_here(in.configuration);
  const bool all = !in.robots.empty() || std::size_t{robots} * robots <= kMostLinks;
  std::vector<ListedLink> listed;
  for (std::uint32_t from = 0; from < robots; ++from) {
    for (std::uint32_t to = 0; to < robots; ++to) {
      const RobotIndex sender{from};
      const RobotIndex receiver{to};
      if (!(wanted[from] || wanted[to]) || !are_linked(in.configuration, sender, receiver) ||
          (!here.empty() && !here[from] && !here[to])) {
        continue;
      }
      const LinkCounts counters = in.plane.counts(in.slots.link(sender, receiver));
      const LinkReading reading = reading_of(in, sender, receiver);
      if (all) {
        list.links.push_back(link_status(in, sender, receiver, counters, reading));
        list.losses.push_back(in.meters.links.recent_loss(sender, receiver));
      } else if (reading.reachable || counters.deliveries > 0) {
        listed.push_back({sender, receiver, counters.released, reading.reachable ? reading.snr_db : -HUGE_VAL});
      } else {
        ++list.left_out;
      }
    }
  }
  list.left_out += keep_foremost(listed, kMostLinks);
  for (const ListedLink& link : listed) {
    list.links.push_back(link_status(in, link.from, link.to, in.plane.counts(in.slots.link(link.from, link.to)),
                                     reading_of(in, link.from, link.to)));
    list.losses.push_back(in.meters.links.recent_loss(link.from, link.to));
  }
  return list;
}

std::size_t keep_foremost(std::vector<ListedLink>& links, std::size_t most) {
  if (links.size() <= most) {
    return 0;
  }
  const auto carries_more = [](const ListedLink& a, const ListedLink& b) {
    return std::tuple(a.released, a.snr_db) > std::tuple(b.released, b.snr_db);
  };
  std::nth_element(links.begin(), links.begin() + static_cast<std::ptrdiff_t>(most), links.end(), carries_more);
  const std::size_t left_out = links.size() - most;
  links.erase(links.begin() + static_cast<std::ptrdiff_t>(most), links.end());
  std::ranges::sort(links, {}, [](const ListedLink& link) { return std::pair(link.from.value(), link.to.value()); });
  return left_out;
}

std::vector<FarPairsStatus> far_pairs_status(const std::vector<FarPairs>& media) {
  std::vector<FarPairsStatus> list;
  for (const FarPairs& medium : media) {
    if (medium.radios < kManyRadios) {
      continue;
    }
    FarPairsStatus& added = list.emplace_back(FarPairsStatus{.domain = medium.domain, .threads = medium.threads});
    if (medium.computed_because.empty()) {
      added.reach_m.emplace();
      if (std::isfinite(medium.reach_m)) {
        added.reach_m->value = medium.reach_m;
      }
      added.visited = medium.visited;
      added.heard = medium.heard;
    } else {
      added.all_computed_because = medium.computed_because;
    }
  }
  return list;
}

}  // namespace hilgate
