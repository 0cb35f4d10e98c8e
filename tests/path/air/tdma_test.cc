// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "path/air/medium.h"
#include "rf_profiles/phy/serial_timing.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kTurnsStart{100s};

Nanoseconds ticks(std::uint64_t count) {
  return Nanoseconds{static_cast<std::int64_t>(count) * 16'000};
}

// SiK's round of two at 64 kbit/s, by its firmware: 114.24 ms of window, 236.8 ms in all, 38.08 ms a full packet.
struct Sik {
  SikRound timing{64};
  Nanoseconds packet = ticks(timing.latency + 250 * timing.ticks_per_byte);
  Medium medium{plan(timing), 1};

  static AirPlan plan(const SikRound& timing) {
    AirPlan plan;
    plan.modes = {ht_mcs7()};
    plan.domains = {AirDomain{.slot = 0ns,
                              .difs = 0ns,
                              .cw_min = 0,
                              .cw_max = 0,
                              .access = MediumAccess::kTdma,
                              .tdma_slot = ticks(timing.window),
                              .tdma_guard = ticks(timing.silence)}};
    plan.stations.resize(2, Station{.domain = 0, .queue_frames = 50, .aggregation = {}, .duty = {}});
    return plan;
  }
  AirJob job(HostTime at, std::uint32_t fragments = 1) const {
    return {.arrived = at, .air_time = packet * fragments, .ack = 0ns, .fragments = fragments};
  }
};

TEST(Turns, AFullWindowOfSikCarriesThreePacketsARound) {
  Sik sik;
  EXPECT_EQ(sik.packet, 38'080us);
  std::uint64_t packets[2] = {};
  const std::int64_t rounds = 200;
  for (HostTime now = kTurnsStart; now < kTurnsStart + ticks(sik.timing.round) * rounds; now += 5ms) {
    for (std::uint32_t end = 0; end < 2; ++end) {
      while (sik.medium.has_room(RobotId{end}, HostTime::max())) {
        AirJob job = sik.job(now);
        job.deliveries = end;
        sik.medium.enqueue(RobotId{end}, job);
      }
    }
    sik.medium.advance(now, [&](const AirResult& result) { ++packets[result.deliveries]; });
  }
  const double seconds = static_cast<double>(rounds) * static_cast<double>(sik.timing.round) * 16e-6;
  for (const std::uint64_t count : packets) {
    EXPECT_NEAR(static_cast<double>(count) * 250 * 8 / seconds, sik.timing.throughput_bps(), 130);  // 25.3 kbit/s
  }
}

// Uniform over the round R, a packet of length p waits for nothing in the first W - p of its window W, else for the
// next: (R - W + p)^2 / (2 R) in the mean.
TEST(Turns, ALonePacketWaitsForItsWindow) {
  Sik sik;
  const double round = 236.8;
  const double off = round - 114.24 + 38.08;
  double waited = 0;
  constexpr int kPackets = 2000;
  for (int i = 0; i < kPackets; ++i) {
    const HostTime at = kTurnsStart + 1s * i + Nanoseconds{static_cast<std::int64_t>(236.8e6 * i / kPackets)};
    sik.medium.enqueue(RobotId{1}, sik.job(at));
    sik.medium.advance(at + 900ms, [&](const AirResult& result) {
      waited += std::chrono::duration<double, std::milli>(result.on_air_until - sik.packet - at).count();
    });
  }
  EXPECT_NEAR(waited / kPackets, off * off / (2 * round), 1);
}

TEST(Turns, APacketLongerThanAWindowGoesOnInTheNext) {
  Sik sik;
  const Nanoseconds round = ticks(sik.timing.round);
  const HostTime window = HostTime{round * 500};  // a window of the first station begins
  sik.medium.enqueue(RobotId{0}, sik.job(window, 7));
  std::vector<HostTime> ends;
  sik.medium.advance(window + 2s, [&](const AirResult& result) { ends.push_back(result.on_air_until); });
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], window + round * 2 + sik.packet) << "three, three, and the last";
}

TEST(Turns, BothEndsNeverSendTogether) {
  Sik sik;
  std::vector<std::pair<HostTime, HostTime>> sent;
  for (HostTime now = kTurnsStart; now < kTurnsStart + 60s; now += 7ms) {
    for (std::uint32_t end = 0; end < 2; ++end) {
      sik.medium.enqueue(RobotId{end}, sik.job(now));
    }
    sik.medium.advance(now, [&](const AirResult& result) {
      sent.emplace_back(result.on_air_until - sik.packet, result.on_air_until);
    });
  }
  std::ranges::sort(sent);
  for (std::size_t i = 1; i < sent.size(); ++i) {
    ASSERT_GE(sent[i].first, sent[i - 1].second);
  }
  EXPECT_GT(sent.size(), 1000U);
}

TEST(Turns, FrameByFrameNobodyCollidesAndAllGetTheSame) {
  AirPlan plan;
  plan.modes = {ht_mcs7()};
  plan.domains = {AirDomain{.slot = 0ns, .difs = 100us, .cw_min = 0, .cw_max = 0, .access = MediumAccess::kRoundRobin}};
  plan.stations.resize(3, Station{0, 4});
  Medium medium(plan, 1);
  std::uint64_t frames[3] = {};
  for (HostTime now = kTurnsStart; now < kTurnsStart + 3s; now += 50us) {
    for (std::uint32_t station = 0; station < 3; ++station) {
      while (medium.has_room(RobotId{station}, HostTime::max())) {
        medium.enqueue(RobotId{station}, {.arrived = now, .air_time = 900us, .deliveries = station});
      }
    }
    medium.advance(now, [&](const AirResult& result) {
      EXPECT_FALSE(result.lost);
      ++frames[result.deliveries];
    });
  }
  for (const std::uint64_t count : frames) {
    EXPECT_NEAR(static_cast<double>(count), 1000, 2);
  }
}

}  // namespace
}  // namespace hilgate::test
