// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/link_values.h"

#include <algorithm>
#include <chrono>

#include "netsim_link/impairments/impairments.h"
#include "rf_profiles/errors/packet_loss.h"

namespace hilgate {
namespace {

// The loss by one of two causes that do not depend on each other; exact where one of them is 0.
double either(double one, double other) {
  return one + other - one * other;
}

// Of a full frame, where a bit error loses it.
double loss_by_errors(const LinkRules& rules) {
  constexpr double kFullFrameBits = 8 * 1514;
  const bool loses = rules.policy == ErrorPolicy::kFcsDrop || rules.policy == ErrorPolicy::kArq;
  return loses ? frame_error_rate(rules.extra_hazard.per_bit, kFullFrameBits) : 0;
}

// Mahimahi's opportunities of the second before.
double rate_of_opportunities(const TraceSchedule& schedule, Nanoseconds at) {
  using namespace std::chrono_literals;
  const std::uint64_t first = schedule.first_after(at - std::min<Nanoseconds>(at, 1s));
  const std::uint64_t last = schedule.first_after(at);
  const bool is_over = first == TraceSchedule::kNoOpportunity || last == TraceSchedule::kNoOpportunity;
  const double seconds = std::max(1e-3, seconds_of(std::min<Nanoseconds>(at, 1s)));
  return is_over ? 0 : static_cast<double>(last - first) * kOpportunityBytes * 8 / 1e6 / seconds;
}

std::optional<double> rate_of(const TraceSchedule& schedule, const TraceEntry& entry, Nanoseconds at) {
  if (schedule.has_opportunities()) {
    return rate_of_opportunities(schedule, at);
  }
  return schedule.has_rate() && entry.bits_per_second < kUnlimitedRate ? std::optional(entry.bits_per_second / 1e6)
                                                                       : std::nullopt;
}

void limit(double& rate_mbps, std::optional<double> other) {
  if (other) {
    rate_mbps = rate_mbps > 0 ? std::min(rate_mbps, *other) : *other;
  }
}

void add_trace(const TracePlayback& trace, bool has_rate, Nanoseconds at, EffectiveLink& link) {
  std::uint32_t hint = 0;
  const TraceEntry entry = trace.schedule->at(at, hint);
  link.delay += entry.delay;
  link.loss = either(link.loss, entry.loss);
  if (!has_rate) {  // that of `links` replaces the trace's
    limit(link.rate_mbps, rate_of(*trace.schedule, entry, at));
  }
}

bool is_out(const Impairments& impairments, Nanoseconds at) {
  return impairments.outages &&
         std::ranges::any_of(impairments.outages->times, [at](const Outage& outage) { return outage.covers(at); });
}

void add_impairments(const Impairments& impairments, ConfiguredLink& link, Nanoseconds& delay, double& loss) {
  if (impairments.rate && impairments.rate->bits_per_second > 0) {
    link.rate_mbps = impairments.rate->bits_per_second / 1e6;
    link.queue = impairments.rate->queue_frames;
  }
  delay += mean_delay(impairments);
  loss = either(loss, mean_loss(impairments));
  if (impairments.trace && impairments.trace->schedule->has_rate() && !link.queue) {
    link.queue = impairments.trace->queue.queue_frames;
  }
}

}  // namespace

ConfiguredLink configured_link(const LinkRules& rules) {
  ConfiguredLink link;
  double loss = loss_by_errors(rules);
  Nanoseconds delay = rules.extra_delay;
  if (rules.impairments != nullptr) {
    add_impairments(*rules.impairments, link, delay, loss);
  }
  if (delay.count() > 0) {
    link.delay = delay;
  }
  if (loss > 0) {
    link.loss = loss;
  }
  return link;
}

EffectiveLink effective_link(const LinkRules& rules, const LinkReading& reading, SimTime now) {
  EffectiveLink link{.delay = reading.delay, .rate_mbps = reading.rate_mbps, .loss = reading.frame_loss};
  if (!reading.reachable) {
    link.loss = 1;
  }
  const ConfiguredLink configured = configured_link(rules);
  link.delay += configured.delay.value_or(Nanoseconds{0});
  link.loss = either(link.loss, configured.loss.value_or(0));
  limit(link.rate_mbps, configured.rate_mbps);
  if (rules.impairments == nullptr) {
    return link;
  }
  const Nanoseconds at = std::max(now.time_since_epoch(), Nanoseconds{0});
  if (rules.impairments->trace) {
    add_trace(*rules.impairments->trace, configured.rate_mbps.has_value(), at, link);
  }
  if (is_out(*rules.impairments, at)) {
    link.loss = 1;
  }
  return link;
}

}  // namespace hilgate
