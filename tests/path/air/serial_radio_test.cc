// SPDX-License-Identifier: Apache-2.0
// A radio behind a serial port: bytes, not frames.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <set>

#include "path/air/medium.h"
#include "rf_profiles/phy/serial_timing.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kSerialStart{236'800us * 400};  // a slot of the first station begins
constexpr std::uint32_t kRadioFrame = 250;

Nanoseconds sik_ticks(std::uint64_t count) {
  return Nanoseconds{static_cast<std::int64_t>(count) * 16'000};
}

// Two SiK radios at 64 kbit/s with a buffer of 1850 bytes.
class SerialRadioTest : public testing::Test {
 protected:
  struct Arrived {
    std::uint32_t tag;
    HostTime at;
    std::uint64_t radio_frame;
    std::uint64_t bits;
  };

  [[nodiscard]] AirPlan plan() const {
    AirPlan plan;
    plan.modes = {{.preamble = 1'792us,
                   .symbol = 144us,
                   .bits_per_symbol = 8,
                   .overhead_bytes = 2 - 14,
                   .fragment_bytes = kRadioFrame,
                   .shared = true}};
    plan.domains = {AirDomain{.slot = 0ns,
                              .difs = 0ns,
                              .cw_min = 0,
                              .cw_max = 0,
                              .access = MediumAccess::kTdma,
                              .tdma_slot = sik_ticks(timing.window),
                              .tdma_guard = sik_ticks(timing.silence)}};
    plan.stations.resize(
        2,
        Station{.domain = 0, .queue_frames = 231, .aggregation = {}, .duty = {}, .queue_bytes = 1850, .serial = true});
    return plan;
  }
  // False when it was this one that found no room.
  bool offer(HostTime at, std::uint32_t bytes, std::uint32_t tag) {
    if (!medium.make_room(RobotSlot{0}, HostTime::max(), bytes, [this](NodeIndex list) { lost.push_back(list); })) {
      lost.push_back(tag);
      return false;
    }
    return medium.enqueue(RobotSlot{0}, {.arrived = at, .deliveries = tag, .left = bytes});
  }
  void advance(HostTime to) {
    medium.advance(to, [this](const AirResult& result) {
      arrived.push_back({result.deliveries, result.on_air_until, result.radio_frame, result.bits});
    });
  }

  const SikRound timing{64};
  Medium medium{plan(), 1};
  std::vector<Arrived> arrived;
  std::vector<NodeIndex> lost;
};

TEST_F(SerialRadioTest, ShortMessagesFillRadioFramesToTheRadiosOwnRate) {
  std::map<std::uint32_t, double> rates;  // bytes a second, by the length of messages
  for (const std::uint32_t length : {12U, 40U, 63U, 250U}) {
    arrived.clear();
    const HostTime start = kSerialStart + 100s * length;
    for (HostTime now = start; now < start + 60s; now += 10ms) {
      while (medium.has_room(RobotSlot{0}, HostTime::max(), AirJob::kGroup, length)) {
        offer(now, length, 1);
      }
      advance(now);
    }
    rates[length] = static_cast<double>(arrived.size()) * length / 60;
    advance(start + 99s);
  }
  const double own = timing.throughput_bps() / 8;  // 3167
  EXPECT_NEAR(rates[250], own, 0.03 * own);
  EXPECT_GT(rates[12], 0.9 * own);
  EXPECT_GT(rates[40], 0.9 * own);
  EXPECT_GT(rates[63], 0.7 * own) << "three of them leave 61 bytes free";
}

TEST_F(SerialRadioTest, PacketsOfOneRadioFrameEndWithIt) {
  for (std::uint32_t tag = 0; tag < 7; ++tag) {
    offer(kSerialStart, 40, tag);
  }
  advance(kSerialStart + 1s);
  ASSERT_EQ(arrived.size(), 7U);
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_EQ(arrived[i].tag, i);
    EXPECT_EQ(arrived[i].radio_frame, i < 6 ? 1U : 2U);
    EXPECT_EQ(arrived[i].at == arrived[0].at, i < 6);
    EXPECT_EQ(arrived[i].bits, 8U * (i < 6 ? 242U : 42U));
  }
  EXPECT_EQ(arrived[6].at - arrived[0].at, 1'792us + 42 * 144us);
}

TEST_F(SerialRadioTest, ALongMessageTakesSeveralRadioFrames) {
  offer(kSerialStart, 10, 1);
  offer(kSerialStart, 700, 2);
  offer(kSerialStart, 20, 3);
  advance(kSerialStart + 2s);
  ASSERT_EQ(arrived.size(), 3U);
  EXPECT_EQ(arrived[0].radio_frame, 1U);
  EXPECT_EQ(arrived[1].bits, 8U * (252 + 252 + 222)) << "errors in any of them lose it";
  EXPECT_EQ(arrived[2].radio_frame, arrived[1].radio_frame) << "its end leaves room";
  EXPECT_EQ(medium.queued_bytes(RobotSlot{0}), 0U);
}

TEST_F(SerialRadioTest, TheQueueHoldsBytes) {
  std::uint32_t taken = 0;
  while (medium.has_room(RobotSlot{0}, HostTime::max(), AirJob::kGroup, 37)) {
    offer(kSerialStart, 37, taken++);
  }
  EXPECT_EQ(taken, 50U);
  EXPECT_EQ(medium.queued_bytes(RobotSlot{0}), 1850U);
  EXPECT_TRUE(lost.empty());
  offer(kSerialStart, 37, 77);
  EXPECT_EQ(lost.size(), 1U) << "one of them, or the new one";
  EXPECT_EQ(medium.queued_bytes(RobotSlot{0}), 1850U);
  EXPECT_FALSE(offer(kSerialStart, 1851, 78)) << "longer than the buffer, which stays as it is";
  EXPECT_EQ(lost.size(), 2U);
}

// Twenty types in the same order four times a second, twice of what the radio carries.
TEST_F(SerialRadioTest, NoTypeOfMessageIsStarved) {
  constexpr std::uint32_t kTypes = 20;
  constexpr int kBursts = 400;
  for (int burst = 0; burst < kBursts; ++burst) {
    const HostTime now = kSerialStart + burst * 250ms;
    advance(now);
    for (std::uint32_t type = 0; type < kTypes; ++type) {
      offer(now, 80, type);
    }
  }
  advance(kSerialStart + kBursts * 250ms + 5s);
  std::vector<int> by_type(kTypes);
  for (const Arrived& one : arrived) {
    ++by_type[one.tag];
  }
  const double mean = std::accumulate(by_type.begin(), by_type.end(), 0.0) / kTypes;
  EXPECT_GT(mean, 0.4 * kBursts);
  for (const int count : by_type) {
    EXPECT_GT(count, 0.7 * mean);
    EXPECT_LT(count, 1.3 * mean);
  }
  EXPECT_EQ(arrived.size() + lost.size(), kTypes * std::size_t{kBursts});
}

TEST_F(SerialRadioTest, ChangeOfTheConfigurationKeepsWaitingPackets) {
  offer(kSerialStart, 300, 1);
  offer(kSerialStart, 40, 2);
  advance(kSerialStart);  // the first 250 bytes
  EXPECT_EQ(medium.queued_bytes(RobotSlot{0}), 90U);
  Medium next(plan(), 1, medium.capacity());
  const std::uint64_t waiting = medium.queued_bytes(RobotSlot{0});
  next.take_over(medium, kSerialStart, [](const AirResult&) { FAIL(); });
  EXPECT_EQ(next.queued_bytes(RobotSlot{0}), waiting);
  std::size_t more = arrived.size();
  next.advance(kSerialStart + 2s, [&more](const AirResult&) { ++more; });
  EXPECT_EQ(more, 2U);
}

}  // namespace
}  // namespace hilgate::test
