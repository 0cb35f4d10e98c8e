// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "path/air/medium.h"
#include "rf_profiles/profile/rate_table.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kAggregationStart{1s};
constexpr Nanoseconds kBlockAck{16'000 + 32'000};

struct AggregatedEnd {
  std::uint32_t frame;
  HostTime on_air_until;
  std::optional<DropReason> lost;
};

/// One station that has a queue when the medium becomes free for it.
class Sender {
 public:
  explicit Sender(Aggregation aggregation) : medium_(plan(aggregation), 1) {}

  void queue(std::uint32_t to, std::uint32_t failing_tries = 0, std::uint32_t tries = 7,
             HostTime arrived = kAggregationStart) {
    const PhyMode mode = ht_mcs7();
    AirJob job{.arrived = arrived,
               .air_time = mode.air_time(1514),
               .ack = mode.ack,
               .failing_tries = failing_tries,
               .tries_left = tries,
               .to = to,
               .length = 1514};
    job.deliveries = frames_++;
    medium_.enqueue(RobotSlot{0}, job);
  }
  std::vector<AggregatedEnd> ends() {
    std::vector<AggregatedEnd> ends;
    medium_.advance(kAggregationStart + 1s, [&](const AirResult& result) {
      ends.push_back({result.deliveries, result.on_air_until, result.lost});
    });
    return ends;
  }
  Medium& medium() { return medium_; }

 private:
  static AirPlan plan(Aggregation aggregation) {
    AirPlan plan;
    plan.modes = {ht_mcs7()};
    plan.modes[0].block_ack = kBlockAck;
    plan.domains = {AirDomain{}};
    plan.stations = {Station{.domain = 0, .queue_frames = 100, .aggregation = aggregation, .duty = {}}};
    return plan;
  }
  Medium medium_;
  std::uint32_t frames_ = 0;
};

constexpr Aggregation kAll{.frames = 64};

// 1514 bytes and 24 of header and FCS make 1538, padded to 1540, with a delimiter of 4: 12352 bits. Ten of them and 22
// bits in symbols of 260 bits: 476 symbols of 4 us behind 36 us.
TEST(Aggregation, FramesToOneReceiverShareOnePreambleAndOneAcknowledgement) {
  Sender sender(kAll);
  for (int i = 0; i < 10; ++i) {
    sender.queue(1);
  }
  const auto ends = sender.ends();
  ASSERT_EQ(ends.size(), 10U);
  for (const AggregatedEnd& end : ends) {
    EXPECT_EQ(end.on_air_until, kAggregationStart + 36us + 476 * 4us);
  }
  EXPECT_EQ(sender.medium().busy(0), 36us + 476 * 4us + kBlockAck);
}

TEST(Aggregation, SingleFrameIsSentWithoutAggregation) {
  Sender sender(kAll);
  sender.queue(1);
  EXPECT_EQ(sender.ends().at(0).on_air_until, kAggregationStart + 228us);
  EXPECT_EQ(sender.medium().busy(0), 228us + 44us);
}

TEST(Aggregation, OffMeansOneByOne) {
  Sender sender({});
  sender.queue(1);
  sender.queue(1);
  EXPECT_EQ(sender.ends().size(), 2U);
  EXPECT_EQ(sender.medium().busy(0), 2 * (228us + 44us));
}

TEST(Aggregation, TakesFramesToItsReceiverFromAfterOthers) {
  Sender sender(kAll);
  for (const std::uint32_t to : {1U, 2U, 1U, 2U, AirJob::kGroup, 1U}) {
    sender.queue(to);
  }
  std::vector<std::uint32_t> order;
  for (const AggregatedEnd& end : sender.ends()) {
    order.push_back(end.frame);
  }
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 2, 5, 1, 3, 4}));
}

// The queue has its frames until their acknowledgement: what comes meanwhile finds no more room than before.
TEST(Aggregation, FramesOnTheAirKeepTheirPlacesInTheQueue) {
  Sender sender(kAll);
  for (int i = 0; i < 100; ++i) {
    sender.queue(1);
  }
  sender.medium().advance(kAggregationStart, [](const AirResult&) {});  // 64, or what the time limit lets through
  const std::uint32_t waiting = sender.medium().queued(RobotSlot{0});
  ASSERT_LT(waiting, 100U);
  const HostTime over = kAggregationStart + sender.medium().busy(0);
  EXPECT_FALSE(sender.medium().has_room(RobotSlot{0}, kAggregationStart));
  EXPECT_FALSE(sender.medium().has_room(RobotSlot{0}, over - 1ns));
  EXPECT_TRUE(sender.medium().has_room(RobotSlot{0}, over));
}

TEST(Aggregation, KeepsItsLimits) {
  const PhyMode mode = ht_mcs7();
  const Nanoseconds two = mode.joint_air_time(2 * mode.subframe_bits(1514));
  const Aggregation limits[] = {
      {.frames = 2}, {.frames = 64, .bytes = 4000}, {.frames = 64, .bytes = 65'535, .time = two}};
  for (const Aggregation& limit : limits) {
    Sender sender(limit);
    for (int i = 0; i < 4; ++i) {
      sender.queue(1);
    }
    EXPECT_EQ(sender.ends().size(), 4U);
    EXPECT_EQ(sender.medium().busy(0), 2 * (two + kBlockAck));
  }
}

// The loop has slept, and takes up at once what came while the first frame was on the air.
TEST(Aggregation, LeavesLaterFramesToTheNextExchange) {
  Sender sender(kAll);
  sender.queue(1);
  const HostTime later = kAggregationStart + 1ms;
  sender.queue(1, 0, 7, later);
  const auto ends = sender.ends();
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].on_air_until, kAggregationStart + 228us);
  EXPECT_EQ(ends[1].on_air_until, later + 228us) << "not on the air before it came";
}

TEST(Aggregation, EachFrameHasItsOwnErrorAndTheReceiverKeepsTheOrder) {
  Sender sender(kAll);
  sender.queue(1);
  sender.queue(1, 1);  // once lost
  sender.queue(1);
  sender.queue(1, 9, 2);  // given up after two
  sender.queue(1);
  const auto ends = sender.ends();
  ASSERT_EQ(ends.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(ends[i].frame, i);
    EXPECT_EQ(ends[i].lost.has_value(), i == 3);
  }
  EXPECT_EQ(ends[3].lost, DropReason::kRetriesSpent);
  const PhyMode mode = ht_mcs7();
  const Nanoseconds first = mode.joint_air_time(5 * mode.subframe_bits(1514));
  EXPECT_EQ(ends[0].on_air_until, kAggregationStart + first);
  EXPECT_GT(ends[2].on_air_until, kAggregationStart + first) << "it waited for the one in front of it";
  EXPECT_EQ(ends[2].on_air_until, ends[4].on_air_until);
  EXPECT_EQ(sender.medium().busy(0), first + mode.joint_air_time(2 * mode.subframe_bits(1514)) + 2 * kBlockAck);
}

// Goodput of a saturated station: 64 KiB, here 42 frames, per DIFS, mean backoff, transmission, block acknowledgement.
TEST(Aggregation, ASaturatedStationReachesTheRateOfTheReferencesArithmetic) {
  Sender sender(kAll);
  std::uint64_t frames = 0;
  HostTime last{};
  for (HostTime now = kAggregationStart; now < kAggregationStart + 20s; now += 1ms) {
    while (sender.medium().has_room(RobotSlot{0}, HostTime::max())) {
      sender.queue(1);
    }
    sender.medium().advance(now, [&](const AirResult& result) {
      ++frames;
      last = result.on_air_until;
    });
  }
  const PhyMode mode = ht_mcs7();
  // Limited by time: 5.484 ms hold 28 frames.
  std::uint64_t most = 1;
  while (mode.joint_air_time((most + 1) * mode.subframe_bits(1514)) <= Aggregation{}.time) {
    ++most;
  }
  EXPECT_EQ(most, 28U);
  const double exchange_us =
      34 + 67.5 +
      std::chrono::duration<double, std::micro>(mode.joint_air_time(most * mode.subframe_bits(1514)) + kBlockAck)
          .count();
  const double expected = static_cast<double>(most) * 8 * 1500 / exchange_us;
  const double took_us = std::chrono::duration<double, std::micro>(last - kAggregationStart).count();
  EXPECT_NEAR(static_cast<double>(frames) * 8 * 1500 / took_us, expected, 0.01 * expected);
  EXPECT_GT(expected, 1.8 * 32.13) << "against one by one";
}

// What `hilgate radio link` says of a sender that always has frames waiting is what the medium does.
TEST(Aggregation, TheReportsGoodputIsTheMediums) {
  PhyMode mode = ht_mcs7();
  mode.block_ack = kBlockAck;
  RadioMac mac;
  mac.slot = 9us;
  mac.sifs = 16us;
  mac.tries = 7;
  mac.queue_frames = 100;
  mac.aggregation.frames = 64;
  const auto measured_bps = [](std::uint32_t every) {
    Sender sender(kAll);
    std::uint32_t made = 0, frames = 0;
    HostTime last{};
    for (HostTime now = kAggregationStart; now < kAggregationStart + 20s; now += 1ms) {
      while (sender.medium().has_room(RobotSlot{0}, HostTime::max())) {
        sender.queue(1, every > 0 && ++made % every == 0 ? 1 : 0);
      }
      sender.medium().advance(now, [&](const AirResult& result) {
        ++frames;
        last = result.on_air_until;
      });
    }
    return frames * 8.0 * 1514 / std::chrono::duration<double>(last - kAggregationStart).count();
  };
  EXPECT_NEAR(aggregated_goodput_bps(mode, mac, 1514, 0), measured_bps(0), 0.01 * measured_bps(0));
  // One of five frames fails once: a sixth of all tries.
  const double hazard = -std::log1p(-1.0 / 6) / static_cast<double>(mode.air_bits(1514));
  EXPECT_NEAR(aggregated_goodput_bps(mode, mac, 1514, hazard), measured_bps(5), 0.03 * measured_bps(5));
  mac.aggregation.frames = 1;
  EXPECT_EQ(aggregated_goodput_bps(mode, mac, 1514, hazard), expected_goodput_bps(mode, mac, 1514, hazard));
}

}  // namespace
}  // namespace hilgate::test
