// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/link_values.h"

#include <algorithm>
#include <chrono>

#include "netsim_link/impairments/impairments.h"

namespace hilgate {
namespace {

double share_bad(const TimedStates& states) {
  const auto good = static_cast<double>(states.good.count());
  const auto bad = static_cast<double>(states.bad.count());
  return bad / (good + bad);
}

double mean_of(const IndependentLoss& loss) {
  return loss.probability;
}

// A burst of n frames begins with each frame outside one with that probability.
double mean_of(const BurstLoss& loss) {
  const double lost = loss.probability * (loss.least + static_cast<double>(loss.most)) / 2;
  return lost / (lost + 1 - loss.probability);
}

// The stationary share of the bad state is p / (p + r).
double mean_of(const GilbertElliottLoss& loss) {
  const double moves = loss.to_bad + loss.to_good;
  const double bad = moves > 0 ? loss.to_bad / moves : 0;
  return bad * loss.bad_loss + (1 - bad) * loss.good_loss;
}

double mean_of(const GilbertElliottTimeLoss& loss) {
  const double bad = share_bad(loss.states);
  return bad * loss.bad_loss + (1 - bad) * loss.good_loss;
}

// Of the stationary distribution, by the balance of each state: state 1 good, 3 and 4 lose, 2 receives within a burst.
double mean_of(const FourStateLoss& loss) {
  const double three = loss.p31 > 0 ? loss.p13 / loss.p31 : 0;
  const double two = loss.p23 > 0 ? three * loss.p32 / loss.p23 : 0;
  return (three + loss.p14) / (1 + two + three + loss.p14);
}

double mean_of(const FadingLoss& loss) {
  return share_bad(loss.fades) * loss.bad_loss;
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

void add_trace(const TracePlayback& trace, Nanoseconds at, EffectiveLink& link) {
  std::uint32_t hint = 0;
  const TraceEntry entry = trace.schedule->at(at, hint);
  link.delay += entry.delay;
  link.loss = 1 - (1 - link.loss) * (1 - entry.loss);
  limit(link.rate_mbps, rate_of(*trace.schedule, entry, at));
}

bool is_out(const Impairments& impairments, Nanoseconds at) {
  return impairments.outages &&
         std::ranges::any_of(impairments.outages->times, [at](const Outage& outage) { return outage.covers(at); });
}

}  // namespace

double mean_loss(const LossTable& loss) {
  return std::visit([](const auto& model) { return mean_of(model); }, loss);
}

ConfiguredLink configured_link(const LinkRules& rules) {
  ConfiguredLink link;
  if (rules.extra_delay.count() > 0) {
    link.delay = rules.extra_delay;
  }
  if (rules.impairments == nullptr) {
    return link;
  }
  const Impairments& impairments = *rules.impairments;
  if (impairments.rate && impairments.rate->bits_per_second > 0) {
    link.rate_mbps = impairments.rate->bits_per_second / 1e6;
    link.queue = impairments.rate->queue_frames;
  }
  if (impairments.loss && !impairments.loss->idle()) {
    link.loss = mean_loss(*impairments.loss);
  }
  if (impairments.trace && impairments.trace->schedule->has_rate() && !link.queue) {
    link.queue = impairments.trace->queue.queue_frames;
  }
  return link;
}

EffectiveLink effective_link(const LinkRules& rules, const LinkReading& reading, SimTime now) {
  EffectiveLink link{
      .delay = reading.delay + rules.extra_delay, .rate_mbps = reading.rate_mbps, .loss = reading.frame_loss};
  if (!reading.reachable) {
    link.loss = 1;
  }
  const ConfiguredLink configured = configured_link(rules);
  link.loss = 1 - (1 - link.loss) * (1 - configured.loss.value_or(0));
  limit(link.rate_mbps, configured.rate_mbps);
  if (rules.impairments == nullptr) {
    return link;
  }
  const Nanoseconds at = std::max(now.time_since_epoch(), Nanoseconds{0});
  if (rules.impairments->trace) {
    add_trace(*rules.impairments->trace, at, link);
  }
  if (is_out(*rules.impairments, at)) {
    link.loss = 1;
  }
  return link;
}

}  // namespace hilgate
