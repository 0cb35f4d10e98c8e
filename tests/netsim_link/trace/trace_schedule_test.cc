// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_schedule.h"

#include <gtest/gtest.h>

#include <random>

#include "netsim_link/trace/traced_wire.h"
#include "tests/netsim_link/trace/trace_texts.h"
#include "tests/support/mahimahi_oracle.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr double kMegabit = 1e6;

Trace trace_of(const std::vector<std::pair<Nanoseconds, double>>& steps) {
  Trace trace;
  trace.has_rate = true;
  for (const auto& [keep, rate] : steps) {
    TraceEntry entry;
    entry.at = trace.length;
    entry.bits_per_second = rate;
    trace.length += keep;
    trace.entries.push_back(entry);
  }
  return trace;
}

// In steps of `tick`, each with the rate in its middle, as anybody would do it who has the time.
Nanoseconds sent_by_ticks(const TraceSchedule& schedule, Nanoseconds begin, double bits, Nanoseconds tick) {
  std::uint32_t hint = 0;
  for (Nanoseconds at = begin;; at += tick) {
    bits -= schedule.at(at + tick / 2, hint).bits_per_second * static_cast<double>(tick.count()) / 1e9;
    if (bits <= 0) {
      return at + tick;
    }
  }
}

TEST(TraceSchedule, HoldsEachEntryForItsTime) {
  Trace trace = trace_of({{1ms, 10}, {2ms, 20}, {500us, 30}});
  std::uint32_t hint = 0;
  const TraceSchedule loop(trace, {});
  for (const auto& [at, rate] : std::vector<std::pair<Nanoseconds, double>>{{-1ms, 10},
                                                                            {0ns, 10},
                                                                            {999999ns, 10},
                                                                            {1ms, 20},
                                                                            {2999999ns, 20},
                                                                            {3ms, 30},
                                                                            {3500us, 10},
                                                                            {35s + 1ms, 20}}) {
    EXPECT_EQ(loop.at(at, hint).bits_per_second, rate) << at.count();
  }
  const TraceSchedule hold(trace, {.end = TraceEnd::kHold});
  EXPECT_EQ(hold.at(1h, hint).bits_per_second, 30);
  const TraceSchedule clear(trace, {.end = TraceEnd::kClear});
  EXPECT_EQ(clear.at(3499999ns, hint).bits_per_second, 30);
  EXPECT_EQ(clear.at(3500us, hint).bits_per_second, kUnlimitedRate);
}

TEST(TraceSchedule, OffsetAndSpeedMoveIt) {
  const Trace trace = trace_of({{1ms, 10}, {2ms, 20}, {1ms, 30}});
  std::uint32_t hint = 0;
  const TraceSchedule moved(trace, {.offset = 2ms, .speed = 2});
  EXPECT_EQ(moved.at(0ns, hint).bits_per_second, 20);
  EXPECT_EQ(moved.at(500us, hint).bits_per_second, 30);
  EXPECT_EQ(moved.at(1ms, hint).bits_per_second, 10);
  EXPECT_EQ(moved.at(1500us, hint).bits_per_second, 20);
}

TEST(TraceSchedule, EntriesAreJoinedByStraightLines) {
  Trace trace = trace_of({{10ms, 10}, {10ms, 30}});
  trace.entries[1].delay = 8ms;
  trace.entries[1].loss = 0.5;
  std::uint32_t hint = 0;
  const TraceSchedule lines(trace, {.end = TraceEnd::kHold, .linear = true});
  const TraceEntry half = lines.at(5ms, hint);
  EXPECT_NEAR(half.bits_per_second, 20, 1e-9);
  EXPECT_EQ(half.delay, 4ms);
  EXPECT_NEAR(half.loss, 0.25, 1e-12);
  EXPECT_EQ(lines.at(15ms, hint).delay, 8ms) << "the last entry leads nowhere";
}

TEST(TraceSchedule, FrameIsSentOverAllStepsOfItsDuration) {
  const TraceSchedule schedule(trace_of({{1ms, 8 * kMegabit}, {1ms, 0}, {1ms, 16 * kMegabit}}), {});
  std::uint32_t hint = 0;
  EXPECT_EQ(schedule.sent(0ns, 4000, hint), 500us);
  EXPECT_EQ(schedule.sent(500us, 4000, hint), 1ms) << "and not behind the silence";
  EXPECT_EQ(schedule.sent(500us, 8000, hint), 2250us);
  EXPECT_EQ(schedule.sent(1500us, 16000, hint), 3ms);
  EXPECT_EQ(schedule.sent(1500us, 24000, hint), 4ms);
  EXPECT_EQ(schedule.sent(0ns, 24000 * 1000, hint), 3s);
  EXPECT_EQ(schedule.sent(3s, 4000, hint), 3s + 500us);
}

TEST(TraceSchedule, EndBehaviours) {
  std::uint32_t hint = 0;
  const Trace trace = trace_of({{1ms, 8 * kMegabit}, {1ms, 1 * kMegabit}});
  const TraceSchedule hold(trace, {.end = TraceEnd::kHold});
  EXPECT_EQ(hold.sent(1500us, 1500, hint), 3ms);
  EXPECT_EQ(hold.sent(10s, 1000, hint), 10s + 1ms);
  const TraceSchedule clear(trace, {.end = TraceEnd::kClear});
  EXPECT_EQ(clear.sent(1500us, 1e9, hint), 2ms);
  EXPECT_EQ(clear.sent(10s, 1e9, hint), 10s);
  EXPECT_EQ(TraceSchedule(trace_of({{1ms, 0}}), {}).sent(0ns, 1, hint), TraceSchedule::kNever);
  EXPECT_EQ(TraceSchedule(trace_of({{1ms, 5}, {1ms, 0}}), {.end = TraceEnd::kHold}).sent(1ms, 1, hint),
            TraceSchedule::kNever);
}

TEST(TraceSchedule, RandomTracesAreIntegratedAsByTicks) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::pair<Nanoseconds, double>> steps;
    for (std::uint64_t i = 0; i < 2 + random() % 8; ++i) {
      const Nanoseconds length = (1 + static_cast<std::int64_t>(random() % 300)) * 1us;
      steps.emplace_back(length, random() % 4 == 0 ? 0 : static_cast<double>(random() % 100) * kMegabit);
    }
    steps.emplace_back(100us, 10 * kMegabit);
    const TraceSchedule schedule(trace_of(steps), {.linear = seed % 2 == 1});
    std::uint32_t hint = 0;
    for (int i = 0; i < 20; ++i) {
      const Nanoseconds begin = static_cast<std::int64_t>(random() % 3000) * 1us;
      const auto bits = static_cast<double>(1 + random() % 20'000);
      const Nanoseconds exact = schedule.sent(begin, bits, hint);
      EXPECT_NEAR(static_cast<double>(exact.count()),
                  static_cast<double>(sent_by_ticks(schedule, begin, bits, 1us).count()), 2000);
    }
  }
}

// Without room for error: the same milliseconds as Mahimahi, whatever arrives.
TEST(TracedWire, GivesMahimahisDeliveries) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    std::vector<std::int64_t> schedule_ms(1, static_cast<std::int64_t>(random() % 3));
    for (std::uint64_t i = 0; i < 1 + random() % 30; ++i) {
      schedule_ms.push_back(schedule_ms.back() +
                            static_cast<std::int64_t>(random() % 4 == 0 ? random() % 50 : random() % 3));
    }
    schedule_ms.back() += 1;
    Trace trace;
    trace.has_rate = true;
    for (const std::int64_t ms : schedule_ms) {
      trace.opportunities.push_back(ms * 1ms);
    }
    trace.length = trace.opportunities.back();
    std::vector<MahimahiPacket> packets;
    std::int64_t at = 0;
    for (int i = 0; i < 100; ++i) {
      at += static_cast<std::int64_t>(random() % (random() % 2 == 0 ? 1000 : 8'000'000));
      at = random() % 3 == 0 ? (at + 999'999) / 1'000'000 * 1'000'000 : at;
      packets.push_back({at, random() % 2 == 0 ? 1504 : 24 + static_cast<std::uint32_t>(random() % 1480)});
    }
    const bool repeat = seed % 4 != 0;
    const auto expected = mahimahi_departures(schedule_ms, repeat, packets, 20'000);
    const TraceSchedule schedule(trace, {.end = repeat ? TraceEnd::kLoop : TraceEnd::kHold});
    TracedWire wire(&schedule);
    for (std::size_t i = 0; i < packets.size(); ++i) {
      const Nanoseconds ready{packets[i].arrival_ns};
      const Nanoseconds begin = wire.begins(ready, packets[i].bytes);
      if (begin == TraceSchedule::kNever) {
        ASSERT_EQ(expected[i], -1) << i;
        break;
      }
      EXPECT_GT(begin, ready);
      ASSERT_EQ(wire.send(ready, packets[i].bytes), expected[i] * 1ms) << i;
    }
  }
}

TEST(TracedWire, PassesAtOnceAfterTheEndOfAClearedTrace) {
  Trace trace;
  trace.opportunities = {1ms, 5ms};
  trace.length = 5ms;
  const TraceSchedule schedule(trace, {.end = TraceEnd::kClear});
  TracedWire wire(&schedule);
  EXPECT_EQ(wire.send(3ms, 1504), 5ms);
  EXPECT_EQ(wire.begins(4ms, 100), 5ms) << "nothing is left, and then all is clear";
  EXPECT_EQ(wire.send(4ms, 100), 5ms);
  EXPECT_EQ(wire.send(7ms, 1504), 7ms);
}

}  // namespace
}  // namespace hilgate::test
