// SPDX-License-Identifier: Apache-2.0
// Stations that do not all hear one another, and radios that hear nobody.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rf_profiles/phy/spreading.h"
#include "tests/path/air/overlap_air.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(OverlappingMedium, StationsInRangeOfTheSenderWait) {
  OverlapAir air(3);
  air.send(0, OverlapAir::job(kOverlapStart, 2));
  air.send(1, OverlapAir::job(kOverlapStart + 50us, 2));
  const auto ends = air.advance(kOverlapStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].on_air_until, kOverlapStart + 228us);
  const Nanoseconds backoff = ends[1].on_air_until - (kOverlapStart + 228us + 44us + 34us + 228us);
  EXPECT_EQ(backoff % 9us, 0us);
  EXPECT_LT(backoff, 16 * 9us);
  EXPECT_FALSE(ends[0].lost || ends[1].lost);
}

TEST(OverlappingMedium, AHiddenStationSendsIntoTheFrameAndBothAreLost) {
  OverlapAir air(3);
  air.deaf(0, 1);
  air.send(0, OverlapAir::job(kOverlapStart, 2));
  air.send(1, OverlapAir::job(kOverlapStart + 50us, 2));
  const auto ends = air.advance(kOverlapStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[1].on_air_until, kOverlapStart + 50us + 228us) << "as if it were alone";
  EXPECT_EQ(ends[0].lost, DropReason::kCollision);
  EXPECT_EQ(ends[1].lost, DropReason::kCollision);
  EXPECT_EQ(air.medium().busy(0), 2 * (228us + 44us));
}

// Received below the threshold of carrier sense; what it receives itself keeps a station silent all the same.
TEST(OverlappingMedium, AReceiverWaitsForTheEndOfItsFrame) {
  for (const std::uint32_t to : {1U, 2U}) {
    OverlapAir air(3);
    air.power(0, 1, kSense - 4);
    air.power(1, 0, kSense - 4);
    air.send(0, OverlapAir::job(kOverlapStart, to));
    air.send(1, OverlapAir::job(kOverlapStart + 50us, 0));
    const auto ends = air.advance(kOverlapStart + 10ms);
    ASSERT_EQ(ends.size(), 2U);
    EXPECT_EQ(ends[1].on_air_until >= kOverlapStart + 228us + 44us + 34us + 228us, to == 1);
    EXPECT_EQ(ends[0].lost.has_value() || ends[1].lost.has_value(), to != 1) << "0 transmits while 1 does";
  }
}

TEST(OverlappingMedium, FramesThatOnlyTouchDoNotMeet) {
  OverlapAir air(3);
  air.deaf(0, 1);
  air.send(0, OverlapAir::job(kOverlapStart, 2));
  air.send(1, OverlapAir::job(kOverlapStart + 228us, 2));
  for (const OverlapAir::End& end : air.advance(kOverlapStart + 10ms)) {
    EXPECT_FALSE(end.lost);
  }
}

TEST(OverlappingMedium, TheStrongerIsReceivedWhenItIsStrongEnough) {
  for (const float margin_db : {7.0F, 9.0F}) {
    OverlapAir air(3);
    air.deaf(0, 1);
    air.power(0, 2, -60 + margin_db);
    air.send(0, OverlapAir::job(kOverlapStart, 2));
    air.send(1, OverlapAir::job(kOverlapStart + 50us, 2));
    const auto ends = air.advance(kOverlapStart + 10ms);
    EXPECT_EQ(ends.at(0).lost.has_value(), margin_db < kNeeded);
    EXPECT_EQ(ends.at(1).lost, DropReason::kCollision);
  }
}

// 10 dB above each of two: 10 dB above one, 7 dB above both.
TEST(OverlappingMedium, PowersOfOthersAdd) {
  for (const bool both : {false, true}) {
    OverlapAir air(4);
    for (std::uint32_t a = 0; a < 3; ++a) {
      for (std::uint32_t b = 0; b < a; ++b) {
        air.deaf(a, b);
      }
    }
    air.power(0, 3, -50);
    air.send(0, OverlapAir::job(kOverlapStart, 3));
    air.send(1, OverlapAir::job(kOverlapStart + 50us, 3));
    if (both) {
      air.send(2, OverlapAir::job(kOverlapStart + 200us, 3));
    }
    EXPECT_EQ(air.advance(kOverlapStart + 10ms).at(0).lost.has_value(), both);
  }
}

TEST(OverlappingMedium, AStationThatSendsReceivesNothing) {
  OverlapAir air(3);
  air.deaf(0, 2);
  air.send(2, OverlapAir::job(kOverlapStart, 1));  // to another, who hears both
  air.send(0, OverlapAir::job(kOverlapStart + 50us, 2));
  air.power(2, 1, -40);
  const auto ends = air.advance(kOverlapStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_FALSE(ends[0].lost);
  EXPECT_EQ(ends[1].lost, DropReason::kCollision);
}

TEST(OverlappingMedium, ALostFrameIsRepeatedAfterALongerBackoff) {
  OverlapAir air(3);
  air.deaf(0, 1);
  air.send(0, OverlapAir::job(kOverlapStart, 2, 7));
  air.send(1, OverlapAir::job(kOverlapStart + 50us, 2, 1));
  const auto ends = air.advance(kOverlapStart + 50ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[1].station, 0U);
  EXPECT_FALSE(ends[1].lost);
  EXPECT_GE(ends[1].on_air_until, kOverlapStart + 228us + 44us + 34us + 228us);
}

TEST(OverlappingMedium, EveryReceiverOfAGroupFrameHasItsOwnSinr) {
  OverlapAir air(4);
  air.deaf(0, 1);
  air.power(1, 3, -75);  // 15 dB below station 0 there
  AirJob group = OverlapAir::job(kOverlapStart, AirJob::kGroup);
  group.ack = 0ns;
  air.send(0, group);
  air.send(1, OverlapAir::job(kOverlapStart + 50us, 2));
  const auto ends = air.advance(kOverlapStart + 10ms);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_FALSE(ends[0].lost);
  EXPECT_FALSE(air.heard[1]) << "it was sending";
  EXPECT_FALSE(air.heard[2]);
  EXPECT_TRUE(air.heard[3]);
}

// A signal of 6 dB over the noise, of which noise takes seven of ten frames, meets one that is far below the noise, in
// it, or as strong. Of the frames that noise leaves others take 1 - exp(-n (h(SINR) - h(SNR))).
TEST(OverlappingMedium, InterferersReduceSinrByTheirPower) {
  const auto hazard = [](double snr_db) { return 1e-4 * std::pow(10, (6 - snr_db) / 4); };
  const auto bits = static_cast<double>(ht_mcs7().air_bits(1514));
  struct Case {
    float power_dbm;
    double sinr_db;  // 6 dB less 10 lg(1 + interference / noise)
  };
  for (const Case& met : {Case{-174, 6}, Case{-110, 6 - 0.1077}, Case{-104, 6 - 0.4139}, Case{-94, 6 - 3.0103}}) {
    OverlapAir air(4, kSense, 100, {}, MediumAccess::kOverlappingDcf, {.frame = hazard, .control = {}});
    air.deaf(0, 1);
    air.power(0, 2, -88);
    air.power(1, 2, met.power_dbm);
    const double met_bits = bits * 178 / 228;  // it begins 50 us later, and ends later
    const double share = -std::expm1(-met_bits * (hazard(met.sinr_db) - hazard(6)));
    constexpr int kFrames = 4000;
    int lost = 0;
    for (int i = 0; i < kFrames; ++i) {
      const HostTime at = kOverlapStart + 10ms * i;
      AirJob job = OverlapAir::job(at, 2);
      job.ack = 0ns;
      air.send(0, job);
      air.send(1, OverlapAir::job(at + 50us, 3));
      for (const OverlapAir::End& end : air.advance(at + 9ms)) {
        lost += end.station == 0 && end.lost ? 1 : 0;
      }
    }
    EXPECT_NEAR(lost, kFrames * share, 4 * std::sqrt(kFrames * share * (1 - share)) + 1) << met.power_dbm << " dBm";
  }
}

TEST(OverlappingMedium, WhereNoiseTakesEverythingOthersTakeNothingMore) {
  const auto none = [](double /*snr_db*/) { return std::numeric_limits<double>::infinity(); };
  OverlapAir air(4, kSense, 100, {}, MediumAccess::kOverlappingDcf, {.frame = none, .control = {}});
  air.deaf(0, 1);
  air.send(0, OverlapAir::job(kOverlapStart, 2));
  air.send(1, OverlapAir::job(kOverlapStart + 50us, 3));
  EXPECT_NE(air.advance(kOverlapStart + 10ms).at(0).lost, DropReason::kCollision);
}

// Of two frames that overlap a receiver gets one at most, in modes too that decode below 0 dB: the one that it locked
// on first. Those that begin together stand out from one another for nobody.
TEST(OverlappingMedium, AReceiverGetsOneOfTwoFramesThatOverlap) {
  const auto none = [](double /*snr_db*/) { return 0.0; };
  for (const Nanoseconds later : {0us, 1us, 20us, 227us}) {
    OverlapAir air(3, kSense, 100, {}, MediumAccess::kOverlappingDcf, {.frame = none, .control = none});
    air.deaf(0, 1);
    AirJob first = OverlapAir::job(kOverlapStart, AirJob::kGroup);
    AirJob second = OverlapAir::job(kOverlapStart + later, AirJob::kGroup);
    first.ack = second.ack = 0ns;
    air.send(0, first);
    air.send(1, second);
    std::array<bool, 2> received{};
    air.medium().advance(kOverlapStart + 10ms, [&](const AirResult& result) {
      received[result.deliveries] = air.medium().received(result, result.deliveries, 2);
    });
    EXPECT_EQ(received[0], later > 0us) << later.count();
    EXPECT_FALSE(received[1]) << later.count();
  }
}

// A frame that begins 10 dB above the one that a receiver follows takes it along; 9 dB do not.
TEST(OverlappingMedium, AReceiverLeavesItsFrameForOneThatIsMuchStronger) {
  const auto none = [](double /*snr_db*/) { return 0.0; };
  for (const float margin_db : {9.0F, 10.1F}) {
    OverlapAir air(3, kSense, 100, {}, MediumAccess::kOverlappingDcf, {.frame = none, .control = none});
    air.deaf(0, 1);
    air.power(1, 2, -60 + margin_db);
    air.send(0, OverlapAir::job(kOverlapStart, 2));
    air.send(1, OverlapAir::job(kOverlapStart + 50us, 2));
    const auto ends = air.advance(kOverlapStart + 10ms);
    EXPECT_EQ(ends.at(0).lost.has_value(), margin_db > 10);
    EXPECT_EQ(ends.at(1).lost.has_value(), margin_db < 10);
  }
}

// Contention of a near and a far station: of two frames in one slot the near one's is received.
TEST(OverlappingMedium, InOneSlotTheStrongestIsReceivedWhereAllAreInRange) {
  for (const MediumAccess access : {MediumAccess::kDcf, MediumAccess::kOverlappingDcf}) {
    OverlapAir air(3, kSense, 4, {}, access);
    air.power(0, 2, -40);
    std::array<std::uint64_t, 2> frames{};
    for (HostTime now = kOverlapStart; now < kOverlapStart + 2s; now += 50us) {
      for (const std::uint32_t station : {0U, 1U}) {
        while (air.medium().has_room(RobotSlot{station}, HostTime::max())) {
          air.send(station, OverlapAir::job(now, 2, 7));
        }
      }
      for (const OverlapAir::End& end : air.advance(now)) {
        frames[end.station] += end.lost ? 0 : 1;
      }
    }
    const double ratio = static_cast<double>(frames[0]) / static_cast<double>(frames[1]);
    EXPECT_NEAR(ratio, 1600.0 / 1206, 0.08) << frames[0] << ' ' << frames[1];
  }
}

// Where all hear all, and nobody's signal stands out, this is the distributed coordination function.
TEST(OverlappingMedium, EqualsPlainContentionWhereAllAreInRange) {
  constexpr std::uint32_t kStations = 5;
  const auto run = [](MediumAccess access) {
    OverlapAir air(kStations, kSense, 4, {}, access);
    std::vector<std::pair<HostTime, std::uint32_t>> ends;
    for (HostTime now = kOverlapStart; now < kOverlapStart + 1s; now += 50us) {
      for (std::uint32_t station = 0; station < kStations; ++station) {
        while (air.medium().has_room(RobotSlot{station}, HostTime::max())) {
          air.send(station, OverlapAir::job(now, (station + 1) % kStations, 7));
        }
      }
      for (const OverlapAir::End& end : air.advance(now)) {
        ends.emplace_back(end.on_air_until, end.station);
      }
    }
    std::ranges::sort(ends);
    ends.resize(ends.size() - kStations);  // one of them says so when the frame begins, the other when it ends
    return ends;
  };
  const auto expected = run(MediumAccess::kDcf);
  auto got = run(MediumAccess::kOverlappingDcf);
  ASSERT_GT(expected.size(), 2000U);
  got.resize(std::min(got.size(), expected.size()));
  EXPECT_TRUE(std::equal(got.begin(), got.end(), expected.begin()));
}

// N. Abramson 1970: a frame of length T survives when none of the others begins within T before or after it,
// with Poisson arrivals of rate G / T in all: exp(-2 G (n - 1) / n) of n stations.
TEST(Aloha, FramesSurviveByAbramson) {
  constexpr std::uint32_t kStations = 50;
  for (const double load : {0.1, 0.5}) {
    OverlapAir air(kStations, std::numeric_limits<float>::infinity());
    const double frame_ns = 228'000;
    std::uint64_t frames = 0;
    std::uint64_t lost = 0;
    double at_ns = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      FrameRandom random(7, 1, i);
      at_ns += random.exponential() * frame_ns / load;
      const HostTime at = kOverlapStart + Nanoseconds{std::llround(at_ns)};
      for (const OverlapAir::End& end : air.advance(at)) {
        ++frames;
        lost += end.lost ? 1 : 0;
      }
      const auto from = static_cast<std::uint32_t>(random.below(kStations));
      AirJob job =
          OverlapAir::job(at, (from + 1 + static_cast<std::uint32_t>(random.below(kStations - 1))) % kStations);
      job.ack = 0ns;
      air.send(from, job);
    }
    const double expected = 1 - std::exp(-2 * load * (kStations - 1) / kStations);
    // Arrivals at a station that is busy wait for it: a correction of the order of the load of one station.
    EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(frames), expected, 0.02 + load / kStations) << load;
  }
}

// LoRa of one spreading factor needs 6 dB over others that overlap, though it decodes far below noise; of SF 9 and
// SF 12 each rejects the other up to 15 and 25 dB.
TEST(Aloha, LoraRejectsOthersByItsSpreadingFactor) {
  const auto received = [](unsigned wanted, unsigned other, float over_db) {
    PhyMode mode = ht_mcs7();
    AirPlan plan;
    for (const unsigned spreading : {wanted, other}) {
      mode.spreading = static_cast<std::uint8_t>(spreading);
      mode.lock = mode.capture = kLoraCapture;
      plan.modes.push_back(mode);
    }
    const auto none = [](double /*snr_db*/) { return 0.0; };
    plan.errors.resize(2, {.frame = none, .control = none});
    plan.domains = {AirDomain{.slot = 0ns, .difs = 0ns, .cw_min = 0, .cw_max = 0, .access = MediumAccess::kAloha}};
    plan.stations.resize(3, Station{.domain = 0, .queue_frames = 4});
    std::vector<LinkState> links(9);
    for (std::uint32_t from = 0; from < 3; ++from) {
      links[from * 3 + 2] = {.rssi_dbm = from == 0 ? -100 + over_db : -100, .snr_db = 0};
    }
    Medium medium(plan, 1);
    medium.set_signals({links, {}, 3});
    AirJob job = OverlapAir::job(kOverlapStart, 2);
    job.ack = 0ns;
    medium.enqueue(RobotSlot{0}, job);
    job.arrived += 20us;
    job.mode = 1;
    medium.enqueue(RobotSlot{1}, job);
    bool first = false;
    medium.advance(kOverlapStart + 1s, [&](const AirResult& result) {
      first = first || (!result.lost && result.on_air_until == kOverlapStart + 228us);
    });
    return first;
  };
  EXPECT_FALSE(received(7, 7, 0));
  EXPECT_FALSE(received(7, 7, 5.9F));
  EXPECT_TRUE(received(7, 7, 6.1F));
  EXPECT_TRUE(received(9, 12, -14.9F));
  EXPECT_FALSE(received(9, 12, -15.1F));
  EXPECT_TRUE(received(12, 9, -24.9F));
  EXPECT_FALSE(received(12, 9, -25.1F));
}

TEST(DutyCycle, TheAirIsUsedUpToTheBudgetAndThenAtItsShare) {
  const DutyCycle one_percent{.share = 0.01, .period = 10s, .drops = false};
  OverlapAir air(2, std::numeric_limits<float>::infinity(), 100, one_percent);
  const Nanoseconds length = 200s;
  for (HostTime now = kOverlapStart; now < kOverlapStart + length; now += 1ms) {
    while (air.medium().has_room(RobotSlot{0}, HostTime::max())) {
      AirJob job = OverlapAir::job(now, 1);
      job.air_time = 50ms;
      job.ack = 0ns;
      air.send(0, job);
    }
    air.advance(now);
  }
  // 100 ms at once, and 1 % of what follows.
  EXPECT_NEAR(std::chrono::duration<double>(air.medium().busy(0)).count(), 0.1 + 0.01 * 200, 0.051);
}

TEST(DutyCycle, OrFramesOverTheBudgetAreDroppedByName) {
  const DutyCycle one_percent{.share = 0.01, .period = 10s, .drops = true};
  OverlapAir air(2, std::numeric_limits<float>::infinity(), 100, one_percent);
  std::uint64_t dropped = 0;
  for (int i = 0; i < 100; ++i) {
    const HostTime at = kOverlapStart + 1s * i;
    AirJob job = OverlapAir::job(at, 1);
    job.air_time = 50ms;
    air.send(0, job);
    for (const OverlapAir::End& end : air.advance(at + 500ms)) {
      ASSERT_TRUE(!end.lost || end.lost == DropReason::kDutyCycle);
      dropped += end.lost ? 1 : 0;
    }
  }
  // 99 s fill up 990 ms beside the first 100 ms: 21 of 50 ms.
  EXPECT_EQ(100 - dropped, 21U);
}

}  // namespace
}  // namespace hilgate::test
