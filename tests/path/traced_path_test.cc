// SPDX-License-Identifier: Apache-2.0
// Traces through the whole path, on vectors and a clock of the test: what each step gives, and when.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "netsim_link/trace/trace_file.h"
#include "tests/support/gateway_rig.h"
#include "tests/support/mahimahi_oracle.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

struct TracedRig : GatewayRig {
  explicit TracedRig(const PathSettings& wanted) : GatewayRig(wanted) {
    ports[1]->keep_bytes = true;
    publish_from(clock.now());
  }
  // Simulated time begins.
  void publish_from(HostTime start) {
    begin = start;
    feed.back().begins = start;
    publish({});
    iterate();
  }
  HostTime begin{};
};

TracePlayback playback_of(std::string_view text, const TracePlay& play = {}) {
  TracePlayback playback;
  playback.schedule = std::make_shared<const TraceSchedule>(parse_trace(text, "test"), play);
  return playback;
}

PathSettings traced(TracePlayback playback, std::uint32_t robots = 2) {
  PathSettings settings = plain_settings(robots);
  Impairments impairments;
  impairments.trace = std::move(playback);
  settings.air.rules[link_of(RobotSlot{0}, RobotSlot{1}, robots).value()].impairments =
      std::make_shared<const Impairments>(std::move(impairments));
  return settings;
}

constexpr std::size_t kNumberAt = 42;

Bytes tagged_frame(std::uint32_t number, std::size_t payload = 100) {
  Bytes frame = udp_frame(1, 2, payload);
  for (std::size_t i = 0; i < 4; ++i) {
    frame[kNumberAt + i] = static_cast<std::byte>(number >> (8 * i));
  }
  return frame;
}
std::uint32_t tag_of(const Sent& sent) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    number |= std::to_integer<std::uint32_t>(sent.bytes[kNumberAt + i]) << (8 * i);
  }
  return number;
}

// 1 ms steps under a load that is above every rate: what leaves in each is its rate, within 2 %.
TEST(TracedPath, EveryMillisecondHasItsOwnRate) {
  const std::vector<double> rates = {200e6, 900e6, 300e6, 0, 750e6, 250e6, 1000e6, 400e6};
  std::string text;
  for (const double rate : rates) {
    text += "1000,0," + std::to_string(static_cast<std::int64_t>(rate)) + ",0,30\n";
  }
  TracedRig rig(traced(playback_of(text)));
  std::vector<double> bits(2 * rates.size());
  for (std::uint32_t us = 0; us < 16'000; ++us) {
    rig.arrive(0, tagged_frame(us));
    rig.run(1us, 1us);
  }
  for (const Sent& sent : rig.sent(1)) {
    const auto step = static_cast<std::size_t>((sent.at - rig.begin - 1ns) / 1ms);
    if (step < bits.size()) {
      bits[step] += 8.0 * static_cast<double>(sent.bytes.size());
    }
  }
  for (std::size_t step = 0; step < bits.size(); ++step) {
    const double expected = rates[step % rates.size()] / 1e3;
    EXPECT_NEAR(bits[step], expected, 0.02 * expected) << step;
  }
  rig.run(5ms);
  EXPECT_TRUE(rig.path->totals().balanced());
}

TEST(TracedPath, EveryMillisecondHasItsOwnDelay) {
  std::string text;
  const std::vector<Nanoseconds> delays = {20ms, 3ms, 50ms, 0ms, 7ms};
  for (const Nanoseconds delay : delays) {
    text += "1000," + std::to_string(delay.count()) + ",-1,0,0\n";
  }
  TracePlayback free = playback_of(text);
  free.overtakes = true;
  TracedRig rig(traced(free));
  for (std::uint32_t i = 0; i < 200; ++i) {
    rig.arrive(0, tagged_frame(i));
    rig.run(100us, 2us);
  }
  rig.run(60ms, 2us);
  ASSERT_EQ(rig.sent(1).size(), 200U);
  for (const Sent& sent : rig.sent(1)) {
    const Nanoseconds arrived = tag_of(sent) * 100us;
    const Nanoseconds delay = sent.at - rig.begin - arrived;
    const Nanoseconds asked = delays[static_cast<std::size_t>(arrived / 1ms) % delays.size()];
    EXPECT_GE(delay, asked);
    EXPECT_LE(delay, asked + 5us) << tag_of(sent);
  }
}

TEST(TracedPath, KeepsTheOrderUnlessItIsFree) {
  TracedRig rig(traced(playback_of("1000,20000000,-1,0,0\n1000,0,-1,0,0\n")));
  for (std::uint32_t i = 0; i < 40; ++i) {
    rig.arrive(0, tagged_frame(i));
    rig.run(100us, 10us);
  }
  rig.run(60ms, 10us);
  ASSERT_EQ(rig.sent(1).size(), 40U);
  EXPECT_TRUE(std::ranges::is_sorted(rig.sent(1), {}, tag_of));
}

TEST(TracedPath, EveryStepHasItsOwnLoss) {
  constexpr std::size_t kFrames = 2000;  // a step
  TracedRig rig(traced(playback_of("10000,0,-1,0,0\n10000,0,-1,4294967295,0\n10000,0,-1,1073741824,0\n")));
  std::vector<std::uint64_t> arrived(3);
  for (std::uint32_t i = 0; i < 3 * kFrames; ++i) {
    rig.arrive(0, tagged_frame(i));
    rig.run(5us, 5us);
  }
  for (const Sent& sent : rig.sent(1)) {
    ++arrived[tag_of(sent) / kFrames];
  }
  EXPECT_EQ(arrived[0], kFrames);
  EXPECT_EQ(arrived[1], 0U);
  EXPECT_GT(binomial_tails(kFrames - arrived[2], kFrames, 0.25), 1e-3) << arrived[2];
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 3 * kFrames - rig.sent(1).size());
}

// Random packets over a random file; `period` between two looks of the loop.
void expect_mahimahi(std::uint64_t seed, Nanoseconds period) {
  std::mt19937_64 random(seed);
  std::vector<std::int64_t> schedule_ms;
  std::string text;
  for (std::int64_t ms = 0; schedule_ms.size() < 40; ms += static_cast<std::int64_t>(random() % 5)) {
    schedule_ms.push_back(ms + 1);
    text += std::to_string(ms + 1) + "\n";
  }
  TracedRig rig(traced(playback_of(text)));
  std::vector<MahimahiPacket> packets;
  for (std::uint32_t i = 0; i < 60; ++i) {
    const auto wait = static_cast<std::int64_t>(random() % 4'000'000);
    rig.run(Nanoseconds{wait}, period);
    const Bytes frame = tagged_frame(i, 4 + random() % 1400);
    packets.push_back({(rig.clock.now() - rig.begin).count(), static_cast<std::uint32_t>(frame.size() - 14 + 4)});
    rig.arrive(0, frame);
    rig.iterate();
  }
  rig.run(300ms, period);
  const auto expected = mahimahi_departures(schedule_ms, true, packets, 100'000);
  ASSERT_EQ(rig.sent(1).size(), packets.size());
  for (std::size_t i = 0; i < packets.size(); ++i) {
    const Nanoseconds left = rig.sent(1)[i].at - rig.begin;
    EXPECT_GE(left, expected[i] * 1ms) << i;
    EXPECT_LE(left, expected[i] * 1ms + period) << i;
  }
}

TEST(TracedPath, MahimahiFilesGiveMahimahisInstants) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(seed);
    expect_mahimahi(seed, 20us);
  }
}

TEST(TracedPath, TheLoopSleepsUntilTheNextOpportunity) {
  TracedRig rig(traced(playback_of("7\n100\n")));
  rig.run(10us, 10us);
  rig.arrive(0, tagged_frame(1));
  rig.iterate();
  EXPECT_EQ(rig.path->next_due(), rig.begin + 7ms);
}

TEST(TracedPath, QueueLengthFollowsItsStep) {
  TracedRig rig(traced(playback_of("1000,0,0,0,3\n1000,0,0,0,8\n1000,0,1000000000,0,8\n", {.end = TraceEnd::kHold})));
  for (std::uint32_t i = 0; i < 10; ++i) {
    rig.arrive(0, tagged_frame(i));
  }
  rig.run(500us, 10us);
  EXPECT_EQ(rig.dropped(DropReason::kQueueFull), 6U) << "one is being sent";
  rig.run(1ms, 10us);
  for (std::uint32_t i = 10; i < 20; ++i) {
    rig.arrive(0, tagged_frame(i));
  }
  rig.run(100us, 10us);
  EXPECT_EQ(rig.dropped(DropReason::kQueueFull), 11U);
  rig.run(2ms, 10us);
  EXPECT_EQ(rig.sent(1).size(), 9U);
}

// Who has one wire shares its rate.
TEST(TracedPath, LinksOfOneWireShareItsRate) {
  PathSettings settings = traced(playback_of("1000,0,8000000,0,100\n"), 3);
  settings.air.rules[link_of(RobotSlot{0}, RobotSlot{2}, 3).value()].impairments =
      settings.air.rules[link_of(RobotSlot{0}, RobotSlot{1}, 3).value()].impairments;
  TracedRig rig(settings);
  for (std::uint32_t i = 0; i < 10; ++i) {
    rig.arrive(0, udp_frame(1, 2, 958));  // 1000 bytes: 1 ms
    rig.arrive(0, udp_frame(1, 3, 958));
  }
  rig.run(10ms + 10us, 10us);
  EXPECT_EQ(rig.sent(1).size() + rig.sent(2).size(), 10U);
  rig.run(10ms, 10us);
  EXPECT_EQ(rig.sent(1).size(), 10U);
  EXPECT_EQ(rig.sent(2).size(), 10U);
}

TEST(TracedPath, ChangeKeepsQueuedFramesAndTheTraceContinues) {
  TracedRig rig(traced(playback_of("10\n20\n30\n40\n50\n")));
  for (std::uint32_t i = 0; i < 4; ++i) {
    rig.arrive(0, tagged_frame(i, 1400));
  }
  rig.run(25ms, 10us);
  const std::size_t before = rig.sent(1).size();
  rig.change(rig.settings);
  rig.newest_feed().back().begins = rig.begin;
  rig.publish({});
  rig.run(100us, 10us);
  EXPECT_EQ(rig.sent(1).size(), before) << "opportunities that are over are not used again";
  rig.run(60ms, 10us);
  ASSERT_EQ(rig.sent(1).size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const Nanoseconds left = rig.sent(1)[i].at - rig.begin;
    EXPECT_LE(left % 10ms, 20us) << i;
  }
}

TEST(TracedPath, AJumpOfSimulatedTimeLosesNothingThatWaits) {
  TracedRig rig(traced(playback_of("10\n20\n30\n")));
  rig.run(1ms, 10us);
  rig.arrive(0, tagged_frame(0));
  rig.run(1ms, 10us);
  rig.publish_from(rig.begin + 5ms);
  rig.run(20ms, 10us);
  ASSERT_EQ(rig.sent(1).size(), 1U);
  EXPECT_LE(rig.sent(1)[0].at - rig.begin - 10ms, 20us);
}

TEST(TracedPath, UnsentFramesStayAndAreDroppedAtTheEnd) {
  TracedRig rig(traced(playback_of("5\n10\n", {.end = TraceEnd::kHold})));
  for (std::uint32_t i = 0; i < 4; ++i) {
    rig.arrive(0, tagged_frame(i, 1450));
  }
  rig.run(100ms, 10us);
  EXPECT_EQ(rig.sent(1).size(), 2U);
  EXPECT_EQ(rig.path->totals().held, 2U);
  rig.path->drain();
  EXPECT_EQ(rig.dropped(DropReason::kShutdown), 2U);
  EXPECT_TRUE(rig.path->totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
