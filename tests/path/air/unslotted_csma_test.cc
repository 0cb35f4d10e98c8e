// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "path/air/medium.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kLookStart{1s};
constexpr Nanoseconds kUnit = 320us;  // aUnitBackoffPeriod
constexpr Nanoseconds kLook = 128us;
constexpr Nanoseconds kTurnaround = 192us;
constexpr Nanoseconds kPause = 640us;
constexpr Nanoseconds kMoteFrame = 2'368us;  // 74 bytes at 250 kbit/s

// Stations of IEEE 802.15.4 at 2.4 GHz that all hear one another, equally strong.
class Motes {
 public:
  explicit Motes(std::uint32_t count) : links_(std::size_t{count} * count), medium_(plan(count), 1) {
    for (LinkState& link : links_) {
      link = {.rssi_dbm = -60, .snr_db = 40};
    }
    medium_.set_signals({links_, {}, count});
  }
  static AirPlan plan(std::uint32_t count) {
    AirPlan plan;
    PhyMode mode = ht_mcs7();
    mode.needed_snr = mode.control_snr = Decibels{3};
    plan.modes = {mode};
    plan.domains = {AirDomain{.slot = kUnit,
                              .cw_min = 7,
                              .cw_max = 31,
                              .access = MediumAccess::kUnslottedCsma,
                              .carrier_sense_dbm = -1000,
                              .cca = kLook,
                              .turnaround = kTurnaround,
                              .interframe = kPause,
                              .most_busy = 4}};
    plan.stations.resize(count, Station{.domain = 0, .queue_frames = 8});
    return plan;
  }
  void send(std::uint32_t from, HostTime at, bool acknowledged, std::uint32_t to) {
    medium_.enqueue(RobotSlot{from}, {.arrived = at,
                                      .air_time = kMoteFrame,
                                      .ack = acknowledged ? kTurnaround + 352us : 0ns,
                                      .tries_left = acknowledged ? 4U : 1U,
                                      .deliveries = from,
                                      .to = to,
                                      .length = 60});
  }
  Medium& medium() { return medium_; }

 private:
  std::vector<LinkState> links_;
  Medium medium_;
};

// However idle the medium is: a backoff of 0 to 7 periods, the look, and the turn to transmit.
TEST(UnslottedCsma, AFrameAloneWaitsForItsBackoff) {
  Motes motes(2);
  std::map<std::int64_t, int> periods;
  double delay_ms = 0;
  constexpr int kFrames = 8000;
  for (int i = 0; i < kFrames; ++i) {
    const HostTime at = kLookStart + 20ms * i;
    motes.send(0, at, true, 1);
    motes.medium().advance(at + 15ms, [&](const AirResult& result) {
      ASSERT_FALSE(result.lost);
      const Nanoseconds backoff = result.on_air_until - at - kMoteFrame - kLook - kTurnaround;
      ASSERT_EQ(backoff % kUnit, 0ns);
      ++periods[backoff / kUnit];
      delay_ms += std::chrono::duration<double, std::milli>(result.on_air_until - at).count() / kFrames;
    });
  }
  ASSERT_EQ(periods.size(), 8U);
  for (const auto& [length, count] : periods) {
    EXPECT_NEAR(count, kFrames / 8, 120) << length;
  }
  EXPECT_NEAR(delay_ms, 3.81, 0.03);
}

TEST(UnslottedCsma, StationPausesAfterItsFrame) {
  Motes motes(2);
  motes.send(0, kLookStart, true, 1);
  motes.send(0, kLookStart, true, 1);
  std::vector<HostTime> ends;
  motes.medium().advance(kLookStart + 1s, [&](const AirResult& result) { ends.push_back(result.on_air_until); });
  ASSERT_EQ(ends.size(), 2U);
  const Nanoseconds between = ends[1] - ends[0] - (kTurnaround + 352us + kPause + kLook + kTurnaround + kMoteFrame);
  EXPECT_EQ(between % kUnit, 0ns);
  EXPECT_LT(between, 8 * kUnit);
}

// Saturated stations that broadcast, or send to one another.
double frames_per_second(std::uint32_t count, bool acknowledged) {
  Motes motes(count);
  std::uint64_t received = 0;
  constexpr auto kLength = 20s;
  for (HostTime now = kLookStart; now < kLookStart + kLength; now += 1ms) {
    for (std::uint32_t from = 0; from < count; ++from) {
      while (motes.medium().has_room(RobotSlot{from}, HostTime::max())) {
        motes.send(from, now, acknowledged, acknowledged ? (from + 1) % count : AirJob::kGroup);
      }
    }
    motes.medium().advance(now, [&](const AirResult& result) {
      const std::uint32_t to = (result.deliveries + 1) % count;
      received += !result.lost && (acknowledged || motes.medium().received(result, result.deliveries, to)) ? 1 : 0;
    });
  }
  return static_cast<double>(received) / std::chrono::duration<double>(kLength).count();
}

// Nobody's backoff stands still while others transmit, and it grows where the medium is busy: more stations send hardly
// less.
TEST(UnslottedCsma, ManyStationsSendHardlyLessThanTwo) {
  std::map<std::uint32_t, double> rate;
  for (const std::uint32_t count : {1U, 2U, 5U, 10U}) {
    rate[count] = frames_per_second(count, true);
  }
  EXPECT_GT(rate[5], 0.9 * rate[2]);
  EXPECT_GT(rate[10], 0.85 * rate[2]);
}

// A station that looks at the medium while the receiver turns from a frame to its acknowledgement finds it idle, and
// sends what the receiver, which transmits, does not get.
TEST(UnslottedCsma, AFrameThatBeginsDuringAnAcknowledgementIsLost) {
  Motes motes(3);
  constexpr int kTries = 4000;
  int within = 0;
  for (int i = 0; i < kTries; ++i) {
    const HostTime at = kLookStart + 100ms * i;
    const auto send = [&](std::uint32_t from, HostTime when, std::uint32_t to) {
      motes.medium().enqueue(RobotSlot{from}, {.arrived = when,
                                               .air_time = kMoteFrame,
                                               .ack = from == 0 ? kTurnaround + 352us : 0ns,
                                               .tries_left = from == 0 ? 4U : 1U,
                                               .deliveries = from,
                                               .to = to,
                                               .length = 60});
    };
    send(0, at, 1);
    send(2, at + 3ms, 1);
    HostTime first{};
    HostTime began{};
    bool lost = false;
    motes.medium().advance(at + 90ms, [&](const AirResult& result) {
      (result.deliveries == 0 ? first : began) = result.on_air_until;
      lost = result.deliveries == 2 ? result.lost.has_value() : lost;
    });
    began -= kMoteFrame;
    const bool during = began > first && began < first + kTurnaround + 352us;
    within += during ? 1 : 0;
    ASSERT_FALSE(during && !lost) << i;
  }
  EXPECT_GT(within, 20);
}

TEST(UnslottedCsma, AStationThatFindsTheMediumBusyGivesUp) {
  Motes motes(2);
  std::uint64_t busy = 0;
  std::uint64_t others = 0;
  for (int i = 0; i < 200; ++i) {
    const HostTime at = kLookStart + 1s * i;
    PhyMode mode = ht_mcs7();
    motes.medium().enqueue(
        RobotSlot{0},
        {.arrived = at, .air_time = 900ms, .deliveries = 0, .to = AirJob::kGroup, .length = mode.fragment_bytes + 60});
    motes.send(1, at + 10ms, true, 0);
    motes.medium().advance(at + 990ms, [&](const AirResult& result) {
      busy += result.lost == DropReason::kChannelBusy ? 1 : 0;
      others += result.lost && result.lost != DropReason::kChannelBusy ? 1 : 0;
    });
  }
  EXPECT_EQ(busy, 200U);
  EXPECT_EQ(others, 0U);
}

}  // namespace
}  // namespace hilgate::test
