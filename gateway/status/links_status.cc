// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/links_status.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <utility>

#include "gateway/status/link_meter.h"
#include "gateway/status/link_values.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

using LinkJson = nlohmann::ordered_json;

void add_configured(const ConfiguredLink& link, LinkJson::object_t& json) {
  if (link.delay) {
    json.emplace_back("configured_delay_us", microseconds_of(*link.delay));
  }
  if (link.rate_mbps) {
    json.emplace_back("configured_rate_mbps", *link.rate_mbps);
  }
  if (link.loss) {
    json.emplace_back("configured_loss", *link.loss);
  }
  if (link.queue) {
    json.emplace_back("queue_limit", *link.queue);
  }
}

void add_measured(const std::optional<MeasuredLink>& link, LinkJson::object_t& json) {
  if (!link) {
    return;
  }
  if (link->delay) {
    json.emplace_back("measured_delay_us", microseconds_of(*link->delay));
  }
  json.emplace_back("measured_rate_mbps", link->rate_mbps);
  if (link->loss) {
    json.emplace_back("measured_loss", *link->loss);
  }
}

// What is configured, what holds now and what frames met, and where they wait.
void add_values(const StatusInputs& in, RobotIndex from, RobotIndex to, const LinkCounts& counters,
                const LinkReading& reading, LinkJson::object_t& json) {
  const LinkRules& rules = in.air.rules[link_of(from, to, link_ends(in.configuration)).value()];
  const EffectiveLink effective = effective_link(rules, reading, in.windows.now());
  add_configured(configured_link(rules), json);
  json.emplace_back("effective_delay_us", microseconds_of(effective.delay));
  json.emplace_back("effective_rate_mbps", effective.rate_mbps);
  json.emplace_back("effective_loss", effective.loss);
  add_measured(in.meters.links.last(from, to), json);
  json.emplace_back("queue", counters.in_queue());
  json.emplace_back("waiting", counters.waiting());
}

// Key by key, and not by a list of pairs: of 64 robots there are 4032, and that takes a tenth of the time.
LinkJson link_json(const StatusInputs& in, RobotIndex from, RobotIndex to, const LinkCounts& counters,
                   const LinkReading& reading) {
  constexpr std::size_t kLinkKeys = 29;
  LinkJson::object_t json;
  json.reserve(kLinkKeys);
  json.emplace_back("from", in.configuration.robots[from.value()].name);
  json.emplace_back("to", in.configuration.robots[to.value()].name);
  json.emplace_back("reachable", reading.reachable);
  json.emplace_back("line_of_sight", reading.line_of_sight);
  json.emplace_back("rssi_dbm", reading.rssi_dbm);
  json.emplace_back("snr_db", reading.snr_db);
  json.emplace_back("rate_mbps", reading.rate_mbps);
  json.emplace_back("frame_loss", reading.frame_loss);
  json.emplace_back("delay_us", microseconds_of(reading.delay));
  add_values(in, from, to, counters, reading, json);
  json.emplace_back("in", counters.deliveries);
  json.emplace_back("released", counters.released);
  json.emplace_back("bytes_released", counters.bytes_released);
  json.emplace_back("failed_tries", counters.failed_tries);
  json.emplace_back("damaged", counters.damaged);
  json.emplace_back("duplicated", counters.duplicated);
  json.emplace_back("marked", counters.marked);
  json.emplace_back("dropped", drops_json(counters.dropped));
  return json;
}

LinkReading reading_of(const StatusInputs& in, RobotIndex from, RobotIndex to) {
  return read_link(in.windows.table(), in.air, link_ends(in.configuration), from, to);
}

// A mark for each robot that was asked for.
std::vector<bool> wanted_robots(const StatusInputs& in) {
  std::vector<bool> wanted;
  for (const RobotConfig& robot : in.configuration.robots) {
    wanted.push_back(in.robots.empty() || std::ranges::find(in.robots, robot.name) != in.robots.end());
  }
  return wanted;
}

}  // namespace

nlohmann::ordered_json drops_json(const std::array<std::uint64_t, kDropReasons>& dropped) {
  LinkJson json = LinkJson::object();
  for (std::size_t i = 0; i < kDropReasons; ++i) {
    if (dropped[i] > 0) {
      json[std::string(kDropReasonTable[i].name)] = dropped[i];
    }
  }
  return json;
}

LinkList links_of(const StatusInputs& in) {
  LinkList list{.links = LinkJson::array()};
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
        list.links.push_back(link_json(in, sender, receiver, counters, reading));
      } else if (reading.reachable || counters.deliveries > 0) {
        listed.push_back({sender, receiver, counters.released, reading.reachable ? reading.snr_db : -HUGE_VAL});
      } else {
        ++list.left_out;
      }
    }
  }
  list.left_out += keep_foremost(listed, kMostLinks);
  for (const ListedLink& link : listed) {
    list.links.push_back(link_json(in, link.from, link.to, in.plane.counts(in.slots.link(link.from, link.to)),
                                   reading_of(in, link.from, link.to)));
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

nlohmann::ordered_json far_pairs_json(const std::vector<FarPairs>& media) {
  LinkJson list = LinkJson::array();
  for (const FarPairs& medium : media) {
    if (medium.radios < kManyRadios) {
      continue;
    }
    LinkJson json{{"domain", medium.domain}, {"threads", medium.threads}};
    if (medium.computed_because.empty()) {
      json["reach_m"] = std::isfinite(medium.reach_m) ? LinkJson(medium.reach_m) : LinkJson(nullptr);
      json["visited"] = medium.visited;
      json["heard"] = medium.heard;
    } else {
      json["all_computed_because"] = medium.computed_because;
    }
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace hilgate
