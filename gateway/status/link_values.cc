// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/link_values.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>
#include <vector>

#include "netsim_link/impairments/impairments.h"
#include "rf_profiles/errors/packet_loss.h"

namespace hilgate {
namespace {

double share_bad(const TimedStates& states) {
  const auto good = static_cast<double>(states.good.count());
  const auto bad = static_cast<double>(states.bad.count());
  return bad / (good + bad);
}

// The loss by one of two causes that do not depend on each other; exact where one of them is 0.
double either(double one, double other) {
  return one + other - one * other;
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

double mean_of(const UniformDelay& delay) {
  return (static_cast<double>(delay.least.count()) + static_cast<double>(delay.most.count())) / 2;
}

// Below 0 the bell curve is 0: m P(z > -m/s) + s p(m/s).
double mean_of(const NormalDelay& delay) {
  const auto mean = static_cast<double>(delay.mean.count());
  const auto deviation = static_cast<double>(delay.deviation.count());
  if (deviation == 0) {
    return mean;
  }
  const double z = mean / deviation;
  return mean * normal_probability(z) + deviation * std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
}

// Of what is not beyond the longest delay there is, x: the integral of P(delay > t) up to x.
double mean_of(const ParetoDelay& delay) {
  const auto least = static_cast<double>(delay.least.count());
  const auto most = static_cast<double>(kLongestDelay.count());
  if (least == 0) {
    return 0;
  }
  const double over = 1 - delay.shape;
  return least + (over == 0 ? least * std::log(most / least) : least * (std::pow(most / least, over) - 1) / over);
}

double mean_of(const TableDelay& delay) {
  const std::vector<Nanoseconds>& quantiles = delay.quantiles;
  double sum = 0;
  for (std::size_t i = 1; i < quantiles.size(); ++i) {
    sum += static_cast<double>((quantiles[i - 1] + quantiles[i]).count()) / 2;
  }
  return sum / static_cast<double>(quantiles.size() - 1);
}

Nanoseconds mean_delay(const Jitter& jitter) {
  return Nanoseconds{
      std::llround(std::visit([](const auto& distribution) { return mean_of(distribution); }, jitter.distribution))};
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
  if (impairments.jitter) {
    delay += mean_delay(*impairments.jitter);
  }
  if (impairments.loss && !impairments.loss->idle()) {
    loss = either(loss, mean_loss(*impairments.loss));
  }
  if (impairments.every) {
    loss = either(loss, 1.0 / impairments.every->every);
  }
  if (impairments.trace && impairments.trace->schedule->has_rate() && !link.queue) {
    link.queue = impairments.trace->queue.queue_frames;
  }
}

}  // namespace

double mean_loss(const LossTable& loss) {
  return std::visit([](const auto& model) { return mean_of(model); }, loss);
}

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
