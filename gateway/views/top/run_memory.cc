// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/run_memory.h"

#include <algorithm>
#include <array>
#include <utility>

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using std::chrono::milliseconds;

// A link's loss is that of the shortest of these spans in which so many of its deliveries were decided.
struct Lookback {
  milliseconds length;
  std::uint64_t enough;
};
constexpr std::array<Lookback, 3> kSpans = {
    {{milliseconds(1000), 5}, {milliseconds(3000), 3}, {milliseconds(10000), 1}}};
constexpr milliseconds kJitter(100);  // of the times at which answers come
constexpr double kHopeless = 0.99;    // loss of one try; nothing arrives

// Counts of a link that was taken out and comes again begin at 0.
std::uint64_t more(std::uint64_t now, std::uint64_t before) {
  return now > before ? now - before : 0;
}

DropCounts drops_of(const Json& json) {
  DropCounts drops;
  for (const auto& [reason, count] : json.items()) {
    drops.emplace(reason, count.get<std::uint64_t>());
  }
  return drops;
}

// What has grown.
DropCounts grown(const DropCounts& now, const DropCounts& before) {
  DropCounts growth;
  for (const auto& [reason, count] : now) {
    const auto old = before.find(reason);
    if (const std::uint64_t since = more(count, old == before.end() ? 0 : old->second); since > 0) {
      growth.emplace(reason, since);
    }
  }
  return growth;
}

CountedLink counts_of(const Json& link) {
  const auto count = [&link](const char* key) { return link.value(key, std::uint64_t{0}); };
  return {.from = link.value("from", ""),
          .to = link.value("to", ""),
          .in = count("in"),
          .released = count("released"),
          .bytes_released = count("bytes_released"),
          .failed_tries = count("failed_tries"),
          .damaged = count("damaged"),
          .duplicated = count("duplicated"),
          .dropped = drops_of(part_of(link, "dropped"))};
}

bool same_link(const CountedLink& one, const CountedLink& other) {
  return one.from == other.from && one.to == other.to;
}

// Links keep their order while the set of robots is unchanged, so the search starts at the same index.
const CountedLink* then_of(const std::vector<CountedLink>& links, const CountedLink& link, std::size_t place) {
  if (place < links.size() && same_link(links[place], link)) {
    return &links[place];
  }
  const auto found = std::ranges::find_if(links, [&link](const CountedLink& each) { return same_link(each, link); });
  return found == links.end() ? nullptr : &*found;
}

std::optional<double> optional_number(const Json& json, const char* key) {
  return json.contains(key) ? std::optional(json[key].get<double>()) : std::nullopt;
}

SeenLink link_of(const Json& json, const CountedLink& counts) {
  SeenLink link;
  link.counts = counts;
  link.reachable = json.value("reachable", false);
  link.line_of_sight = json.value("line_of_sight", true);
  link.reasons = json.value("reasons", std::vector<std::string>());
  link.rssi_dbm = json.value("rssi_dbm", 0.0);
  link.snr_db = json.value("snr_db", 0.0);
  link.rate_mbps = json.value("effective_rate_mbps", json.value("rate_mbps", 0.0));
  link.frame_loss = json.value("frame_loss", 0.0);
  link.effective_loss = json.value("effective_loss", link.frame_loss);
  link.delay_us = json.value("effective_delay_us", json.value("delay_us", 0.0));
  link.measured_delay_us = optional_number(json, "measured_delay_us");
  link.configured_delay_us = optional_number(json, "configured_delay_us");
  link.configured_rate_mbps = optional_number(json, "configured_rate_mbps");
  link.configured_loss = optional_number(json, "configured_loss");
  link.queue = json.value("queue", std::uint64_t{0});
  link.waiting = json.value("waiting", std::uint64_t{0});
  link.decodable = link.reachable && link.frame_loss < kHopeless;
  return link;
}

struct Decided {
  DropCounts drops;
  std::uint64_t arrived = 0, decided = 0;
};

Decided decided_since(const CountedLink& now, const CountedLink& then) {
  Decided since{.drops = grown(now.dropped, then.dropped), .arrived = more(now.released, then.released)};
  since.decided = total_of(since.drops) + since.arrived;
  return since;
}

// `then` has the link at the beginning of each of the spans; null where it was not there.
void measure(SeenLink& link, const std::array<const CountedLink*, kSpans.size()>& then, double seconds) {
  std::optional<double> measured;
  for (std::size_t i = 0; i < kSpans.size(); ++i) {
    if (then[i] == nullptr) {
      continue;
    }
    Decided since = decided_since(link.counts, *then[i]);
    link.busy = link.busy || link.counts.in > then[i]->in;
    if (!measured && since.decided >= kSpans[i].enough) {
      measured = 1 - static_cast<double>(since.arrived) / static_cast<double>(since.decided);
    }
    if (i == 0 && seconds > 0) {
      link.goodput = 8.0 * static_cast<double>(more(link.counts.bytes_released, then[i]->bytes_released)) / seconds;
    }
    if (i == 0 && since.decided > 0) {
      link.tries = static_cast<double>(more(link.counts.failed_tries, then[i]->failed_tries)) /
                   static_cast<double>(since.decided);
    }
    link.arrived = since.arrived;
    link.decided = since.decided;
    link.drops = std::move(since.drops);
  }
  // What cannot be decoded any more is lost from now on, whatever has arrived a moment ago.
  link.loss = link.decodable ? measured.value_or(link.effective_loss) : 1;
}

}  // namespace

const RunMemory::Counted* RunMemory::before(Time at, milliseconds span) const {
  if (counted_.empty()) {
    return nullptr;
  }
  const auto after = std::ranges::find_if(counted_, [&](const Counted& each) { return at - each.at + kJitter < span; });
  return after == counted_.begin() ? &*after : &*std::prev(after);
}

SeenRun RunMemory::add(Time at, nlohmann::ordered_json status) {
  const Json& totals = part_of(status, "totals");
  Counted now{.at = at,
              .uptime_s = status.value("uptime_s", 0.0),
              .in = totals.value("in", std::uint64_t{0}),
              .out = totals.value("out", std::uint64_t{0}),
              .dropped = drops_of(part_of(totals, "dropped")),
              .links = {}};
  if (!counted_.empty() && now.uptime_s < counted_.back().uptime_s) {
    counted_.clear();
  }
  std::array<const Counted*, kSpans.size()> then{};
  std::ranges::transform(kSpans, then.begin(), [&](const Lookback& span) { return before(at, span.length); });
  const double seconds = then[0] == nullptr ? 0 : now.uptime_s - then[0]->uptime_s;
  SeenRun run;
  for (const Json& json : part_of(status, "links")) {
    now.links.push_back(counts_of(json));
    std::array<const CountedLink*, kSpans.size()> old{};
    std::ranges::transform(then, old.begin(), [&](const Counted* each) {
      return each == nullptr ? nullptr : then_of(each->links, now.links.back(), now.links.size() - 1);
    });
    run.links.push_back(link_of(json, now.links.back()));
    measure(run.links.back(), old, seconds);
  }
  if (seconds > 0) {
    run.out = more(now.out, then[0]->out);
    run.lost = total_of(grown(now.dropped, then[0]->dropped));
    run.in_per_s = static_cast<double>(more(now.in, then[0]->in)) / seconds;
    run.out_per_s = static_cast<double>(run.out) / seconds;
  }
  counted_.push_back(std::move(now));
  while (at - counted_.front().at > kSpans.back().length + milliseconds(1000)) {
    counted_.pop_front();
  }
  run.status = std::make_shared<const Json>(std::move(status));
  return run;
}

}  // namespace hilgate
