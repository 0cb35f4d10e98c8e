// SPDX-License-Identifier: Apache-2.0
// What a link is configured to do, what holds now, and what frames met.
#include "gateway/status/link_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <utility>

#include "gateway/status/meters.h"
#include "netsim_link/impairments/impairments.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

LinkRules rules_of(Impairments impairments, Nanoseconds delay = {}) {
  LinkRules rules;
  rules.extra_delay = delay;
  rules.impairments = std::make_shared<const Impairments>(std::move(impairments));
  return rules;
}

Impairments with_trace(Trace trace) {
  Impairments impairments;
  impairments.trace = TracePlayback{.schedule = std::make_shared<const TraceSchedule>(trace, TracePlay{})};
  return impairments;
}

constexpr LinkReading kRadio{.reachable = true, .rate_mbps = 65, .frame_loss = 0.1, .delay = 30ns};

TEST(LinkValues, OfALinkAreItsDelayAndRate) {
  const LinkRules rules = rules_of({.rate = RateLimit{.bits_per_second = 6e6, .queue_frames = 20}}, 25ms);
  const ConfiguredLink configured = configured_link(rules);
  EXPECT_EQ(configured.delay, 25ms);
  EXPECT_EQ(configured.rate_mbps, 6);
  EXPECT_EQ(configured.queue, 20U);
  EXPECT_FALSE(configured.loss);
  const EffectiveLink effective = effective_link(rules, kRadio, SimTime{});
  EXPECT_EQ(effective.delay, 25ms + 30ns);
  EXPECT_EQ(effective.rate_mbps, 6);
  EXPECT_DOUBLE_EQ(effective.loss, 0.1);
}

TEST(LinkValues, OfALinkWithoutAnythingAreTheAirs) {
  const ConfiguredLink configured = configured_link({});
  EXPECT_FALSE(configured.delay || configured.rate_mbps || configured.loss || configured.queue);
  EXPECT_EQ(effective_link({}, kRadio, SimTime{}).rate_mbps, 65);
  EXPECT_EQ(effective_link({}, {.reachable = true}, SimTime{}).rate_mbps, 0) << "a wire has no limit";
}

TEST(LinkValues, OfATraceFollowTheInstant) {
  const LinkRules rules =
      rules_of(with_trace({.entries = {{.at = 0s, .bits_per_second = 2e6, .delay = 10ms, .loss = 0.5},
                                       {.at = 5s, .bits_per_second = 8e6, .delay = 40ms}},
                           .length = 10s,
                           .has_rate = true}));
  const LinkReading wire{.reachable = true};
  EXPECT_EQ(effective_link(rules, wire, SimTime{1s}).rate_mbps, 2);
  EXPECT_EQ(effective_link(rules, wire, SimTime{1s}).delay, 10ms);
  EXPECT_DOUBLE_EQ(effective_link(rules, wire, SimTime{1s}).loss, 0.5);
  EXPECT_EQ(effective_link(rules, wire, SimTime{6s}).rate_mbps, 8);
  EXPECT_EQ(effective_link(rules, wire, SimTime{6s}).delay, 40ms);
}

TEST(LinkValues, OfOpportunitiesCoverTheLastSecond) {
  Trace trace{.length = 10s, .has_rate = true};
  for (int i = 1; i <= 1000; ++i) {
    trace.opportunities.push_back(i * 10ms);
  }
  const EffectiveLink link = effective_link(rules_of(with_trace(trace)), {.reachable = true}, SimTime{5s});
  EXPECT_NEAR(link.rate_mbps, 100 * 1504 * 8 / 1e6, 0.02);
}

TEST(LinkValues, ARateOfLinksReplacesTheTraces) {
  Impairments impairments =
      with_trace({.entries = {{.at = 0s, .bits_per_second = 2e6}}, .length = 10s, .has_rate = true});
  impairments.rate = RateLimit{.bits_per_second = 8e6};
  EXPECT_EQ(effective_link(rules_of(std::move(impairments)), {.reachable = true}, SimTime{1s}).rate_mbps, 8);
}

TEST(LinkValues, ADelayHasTheMeanOfItsDistribution) {
  const auto configured = [](DelayDistribution distribution) {
    return configured_link(rules_of({.jitter = Jitter{.distribution = std::move(distribution)}}, 10ms)).delay.value();
  };
  EXPECT_EQ(configured(UniformDelay{.least = 0ms, .most = 20ms}), 20ms);
  EXPECT_EQ(configured(NormalDelay{.mean = 5ms, .deviation = 0ms}), 15ms);
  EXPECT_NEAR(static_cast<double>(configured(NormalDelay{.mean = 0ms, .deviation = 10ms}).count()), 13'989'423, 1)
      << "s / sqrt(2 pi)";
  EXPECT_NEAR(static_cast<double>(configured(ParetoDelay{.least = 1ms, .shape = 2.5}).count()), 11'666'667, 10)
      << "a k / (k - 1)";
  EXPECT_EQ(configured(TableDelay{.quantiles = {1ms, 2ms, 9ms}}), 13'500us);
  const LinkRules rules = rules_of({.jitter = Jitter{.distribution = UniformDelay{.least = 10ms, .most = 30ms}}});
  EXPECT_EQ(effective_link(rules, kRadio, SimTime{}).delay, 20ms + 30ns);
}

TEST(LinkValues, LossIsThatOfAllThatLosesFrames) {
  LinkRules rules = rules_of({.every = PeriodicLoss{.every = 4}, .loss = IndependentLoss{.probability = 0.2}});
  EXPECT_DOUBLE_EQ(configured_link(rules).loss.value(), 1 - 0.75 * 0.8);
  rules.extra_hazard.per_bit = 1e-4;
  EXPECT_NEAR(effective_link(rules, {.reachable = true}, SimTime{}).loss, 1 - 0.6 * std::exp(-1.2112), 1e-9);
  rules.policy = ErrorPolicy::kMarkOnly;
  EXPECT_DOUBLE_EQ(configured_link(rules).loss.value(), 0.4) << "damage is delivered";
}

TEST(LinkValues, InAnOutageAllIsLost) {
  const LinkRules rules = rules_of({.outages = Outages{{Outage{.at = 2s, .length = 1s}}}});
  EXPECT_DOUBLE_EQ(effective_link(rules, kRadio, SimTime{1s}).loss, 0.1);
  EXPECT_EQ(effective_link(rules, kRadio, SimTime{2500ms}).loss, 1);
}

TEST(LinkValues, OfATraceWithoutARateHaveNoQueue) {
  const LinkRules rules =
      rules_of(with_trace({.entries = {{.delay = 10ms, .sinr_db = 12}}, .length = 10s, .has_delay = true}));
  EXPECT_FALSE(configured_link(rules).queue);
  EXPECT_EQ(effective_link(rules, kRadio, SimTime{1s}).rate_mbps, 65) << "the radio's";
  EXPECT_EQ(effective_link(rules, kRadio, SimTime{1s}).delay, 10ms + 30ns);
}

TEST(LinkMeasure, CoversTheIntervalBetweenTwoReadings) {
  LinkCounts before;
  before.released = 100;
  before.timed = 100;
  before.delay_ns = 5'000'000;
  LinkCounts now = before;
  now.released += 75;
  now.dropped[0] += 25;
  now.bytes_released += 125'000;
  now.timed += 75;
  now.delay_ns += 75 * 25'000'000ULL;
  const MeasuredLink link = measure_link(now, before, 1, 1);
  EXPECT_EQ(link.delay, 25ms);
  EXPECT_EQ(link.loss, 0.25);
  EXPECT_EQ(link.rate_mbps, 1);
  const MeasuredLink slow = measure_link(now, before, 1, 0.5);
  EXPECT_EQ(slow.delay, 12500us);
  EXPECT_EQ(slow.rate_mbps, 2);
  const MeasuredLink silent = measure_link(now, now, 1, 1);
  EXPECT_FALSE(silent.delay || silent.loss);
  EXPECT_EQ(silent.rate_mbps, 0);
}

}  // namespace
}  // namespace hilgate::test
