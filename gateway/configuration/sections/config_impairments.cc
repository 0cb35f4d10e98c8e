// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/sections/config_impairments.h"

#include "gateway/configuration/sections/config_checks.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Range<Nanoseconds> kTime{0ns, kLongestDelay, "0s to 1h"};

// A map, or its one probability as a scalar.
double chance(YamlReader& link, std::string_view key, std::optional<YamlReader>& node) {
  return (node->is_map() ? node->required<Probability>("probability") : link.required<Probability>(key)).value;
}

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

std::optional<RateLimit> read_rate(YamlReader& link) {
  constexpr Range<BitsPerSecond> kRate{{1}, {1e12}, "1 bit/s to 1 Tbit/s"};
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  auto rate = link.optional_child("rate");
  if (!rate) {
    return std::nullopt;
  }
  if (!rate->is_map()) {
    return RateLimit{.bits_per_second = read_within(link, "rate", kRate).value_or(BitsPerSecond{1}).value};
  }
  RateLimit limit{.bits_per_second = require_within(*rate, "limit", kRate).value_or(BitsPerSecond{1}).value};
  limit.ethernet_framing = rate->choice<bool>("framing", {{"none", false}, {"ethernet", true}}, false);
  limit.drop_head = rate->choice<bool>("drop", {{"tail", false}, {"head", true}}, false);
  if (auto queue = rate->optional_child("queue")) {
    limit.queue_frames = read_within(*queue, "frames", kFrames).value_or(limit.queue_frames);
    limit.queue_bytes = queue->optional<Bytes>("bytes", Bytes{0}).value;
  }
  return limit;
}

std::optional<Reordering> read_reordering(YamlReader& link) {
  auto reorder = link.optional_child("reorder");
  if (!reorder) {
    return std::nullopt;
  }
  return Reordering{reorder->required<Probability>("probability").value,
                    require_within(*reorder, "by", kTime).value_or(0ns)};
}

std::optional<Duplication> read_duplication(YamlReader& link) {
  auto duplicate = link.optional_child("duplicate");
  if (!duplicate) {
    return std::nullopt;
  }
  Duplication duplication{chance(link, "duplicate", duplicate), 0ns};
  if (duplicate->is_map()) {
    duplication.after = read_within(*duplicate, "after", kTime).value_or(0ns);
  }
  return duplication;
}

std::optional<std::vector<Outage>> read_outages(YamlReader& link) {
  if (!link.has("outages")) {
    return std::nullopt;
  }
  std::vector<Outage> outages;
  for (YamlReader& item : link.items("outages")) {
    outages.push_back(read_outage(item));
  }
  return outages;
}

}  // namespace hilgate
