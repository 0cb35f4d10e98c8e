// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/link_limits.h"

#include <algorithm>

#include "config/range.h"
#include "netsim_link/impairments/delay_models.h"

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

std::optional<RateLimit> RateLimit::read(YamlReader& link) {
  constexpr Range<BitsPerSecond> kRate{{1}, {1e12}, "1 bit/s to 1 Tbit/s"};
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  constexpr Range<Nanoseconds> kTime{1us, 1h, "1us to 1h"};
  auto rate = link.optional_child(kKey);
  if (!rate) {
    return std::nullopt;
  }
  if (!rate->is_map()) {
    return RateLimit{.bits_per_second = read_within(link, kKey, kRate).value_or(BitsPerSecond{1}).value};
  }
  RateLimit limit{.bits_per_second = require_within(*rate, "limit", kRate).value_or(BitsPerSecond{1}).value};
  limit.ethernet_framing = rate->choice<bool>("framing", {{"none", false}, {"ethernet", true}}, false);
  limit.drop_head = rate->choice<bool>("drop", {{"tail", false}, {"head", true}}, false);
  if (auto queue = rate->optional_child("queue")) {
    limit.queue_frames = read_within(*queue, "frames", kFrames).value_or(limit.queue_frames);
    limit.queue_bytes = queue->optional<Bytes>("bytes", Bytes{0}).value;
    limit.queue_time = read_within(*queue, "time", kTime).value_or(limit.queue_time);
    limit.management = QueueRules::read(*queue);
    if (limit.drop_head && limit.management.discipline == QueueDiscipline::kFqCodel) {
      rate->fault("drop", "has no meaning with fq_codel, which drops the first frame of the longest flow");
    }
  }
  return limit;
}

std::optional<DropReason> TracePlayback::lose(const ImpairedFrame& frame, State& state, FrameRandom& random) const {
  const double loss = schedule->at(frame.since_start, state.hint).loss;
  return loss > 0 && random.uniform() <= loss ? std::make_optional(DropReason::kConfiguredLoss) : std::nullopt;
}

void TracePlayback::retime(const ImpairedFrame& frame, State& state, FrameRandom& random,
                           ImpairedTiming& timing) const {
  const TraceEntry now = schedule->at(frame.since_start, state.hint);
  timing.delay +=
      now.jitter > Nanoseconds{0} ? NormalDelay{now.delay, now.jitter}.quantile(random.uniform()) : now.delay;
  timing.loose = timing.loose || overtakes;
  if (now.duplicate > 0 && random.uniform() <= now.duplicate) {
    timing.copy = now.duplicate_after;
  }
}

std::uint32_t TracePlayback::bytes_on_wire(std::uint32_t length) const {
  constexpr std::uint32_t kEthernetBytes = 14;
  constexpr std::uint32_t kTunBytes = 4;
  if (schedule->has_opportunities()) {
    return std::max(length, kEthernetBytes) - kEthernetBytes + kTunBytes;
  }
  return queue.bytes_on_wire(length);
}

}  // namespace hilgate
