// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <vector>

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
      while (sik.medium.has_room(RobotSlot{end}, HostTime::max())) {
        AirJob job = sik.job(now);
        job.deliveries = end;
        sik.medium.enqueue(RobotSlot{end}, job);
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
    sik.medium.enqueue(RobotSlot{1}, sik.job(at));
    sik.medium.advance(at + 900ms, [&](const AirResult& result) {
      waited += std::chrono::duration<double, std::milli>(result.on_air_until - sik.packet - at).count();
    });
  }
  EXPECT_NEAR(waited / kPackets, off * off / (2 * round), 1);
}

TEST(Turns, PacketLongerThanAWindowContinuesInTheNext) {
  Sik sik;
  const Nanoseconds round = ticks(sik.timing.round);
  const HostTime window = HostTime{round * 500};  // a window of the first station begins
  sik.medium.enqueue(RobotSlot{0}, sik.job(window, 7));
  std::vector<HostTime> ends;
  sik.medium.advance(window + 2s, [&](const AirResult& result) { ends.push_back(result.on_air_until); });
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0], window + round * 2 + sik.packet) << "three, three, and the last";
}

// Messages of 200 bytes, one to a radio frame: three fit into a window, and as many into what is left of one that has
// been yielded by an empty frame.
struct YieldingSik {
  SikRound timing{64};
  Medium medium{plan(timing), 1};

  static PhyMode mode(const SikRound& timing) {
    return {.preamble = ticks(timing.latency - 2 * timing.ticks_per_byte),
            .symbol = ticks(timing.ticks_per_byte),
            .bits_per_symbol = 8,
            .overhead_bytes = 2 - 14,
            .fragment_bytes = 250,
            .shared = true};
  }
  static AirPlan plan(const SikRound& timing) {
    AirPlan plan = Sik::plan(timing);
    plan.modes = {mode(timing)};
    plan.domains[0].tdma_yields = true;
    for (auto& station : plan.stations) {
      station->serial = true;
      station->queue_bytes = 1850;
    }
    return plan;
  }
  // Bytes that each end gets through in 200 rounds, those in `busy` with messages at all times.
  std::array<double, 2> throughput_bps(std::vector<std::uint32_t> busy) {
    std::array<std::uint64_t, 2> messages{};
    const Nanoseconds length = ticks(timing.round) * 200;
    for (HostTime now = kTurnsStart; now < kTurnsStart + length; now += 5ms) {
      for (const std::uint32_t end : busy) {
        while (medium.has_room(RobotSlot{end}, HostTime::max(), AirJob::kGroup, 200)) {
          medium.enqueue(RobotSlot{end},
                         {.arrived = now, .air_time = 1ms, .deliveries = end, .length = 200, .left = 200});
        }
      }
      medium.advance(now, [&](const AirResult& result) { ++messages[result.deliveries]; });
    }
    const double seconds = std::chrono::duration<double>(length).count();
    return {static_cast<double>(messages[0]) * 1600 / seconds, static_cast<double>(messages[1]) * 1600 / seconds};
  }
};

TEST(Turns, AnIdlePeerYieldsItsWindow) {
  for (const std::uint32_t busy : {0U, 1U}) {
    YieldingSik sik;
    EXPECT_NEAR(sik.throughput_bps({busy})[busy], 40.5e3, 0.4e3);
  }
}

TEST(Turns, ABusyPeerDoesNot) {
  YieldingSik sik;
  const std::array<double, 2> both = sik.throughput_bps({0, 1});
  EXPECT_NEAR(both[0], 20.27e3, 0.2e3);
  EXPECT_NEAR(both[1], 20.27e3, 0.2e3);
}

// Windows begin one after the other each 118.4 ms; the yielded one 2.08 ms later, by its empty frame. What comes within
// a window of its own that has been given up waits for the other's.
TEST(Turns, AMessageWaitsForTheNextWindowOfEither) {
  YieldingSik sik;
  const Nanoseconds step = ticks(sik.timing.round) / 2;
  const Nanoseconds empty = ticks(sik.timing.latency);
  const HostTime own = HostTime{step * 2 * 500};
  const Nanoseconds packet = YieldingSik::mode(sik.timing).shared_time(37);
  std::vector<HostTime> began;
  for (const HostTime at : {own - 1ms, own + 2 * step + 1ms, own + 4 * step + step - 1ms}) {
    sik.medium.enqueue(RobotSlot{0}, {.arrived = at, .air_time = 1ms, .length = 37, .left = 37});
    sik.medium.advance(at + 300ms, [&](const AirResult& result) { began.push_back(result.on_air_until - packet); });
  }
  EXPECT_EQ(began, (std::vector<HostTime>{own, own + 3 * step + empty, own + 5 * step + empty}));
}

TEST(Turns, YieldedWindowsHaveOneSenderAtATime) {
  YieldingSik sik;
  std::vector<std::pair<HostTime, HostTime>> sent;
  for (HostTime now = kTurnsStart; now < kTurnsStart + 120s; now += 7ms) {
    for (std::uint32_t end = 0; end < 2; ++end) {
      if (now.time_since_epoch() / 7ms % (17 + 20 * end) < 9) {
        sik.medium.enqueue(RobotSlot{end}, {.arrived = now, .air_time = 1ms, .length = 100, .left = 100});
      }
    }
    sik.medium.advance(now, [&](const AirResult& result) {
      const auto bits = static_cast<std::int64_t>(result.bits);
      sent.emplace_back(result.on_air_until - bits / 8 * ticks(sik.timing.ticks_per_byte), result.on_air_until);
    });
  }
  std::ranges::sort(sent);
  for (std::size_t i = 1; i < sent.size(); ++i) {
    ASSERT_TRUE(sent[i].first >= sent[i - 1].second || sent[i].second == sent[i - 1].second);
  }
  EXPECT_GT(sent.size(), 1000U);
}

TEST(Turns, BothEndsNeverSendTogether) {
  Sik sik;
  std::vector<std::pair<HostTime, HostTime>> sent;
  for (HostTime now = kTurnsStart; now < kTurnsStart + 60s; now += 7ms) {
    for (std::uint32_t end = 0; end < 2; ++end) {
      sik.medium.enqueue(RobotSlot{end}, sik.job(now));
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

TEST(Turns, FrameByFrameNoneCollidesAndAllGetTheSame) {
  AirPlan plan;
  plan.modes = {ht_mcs7()};
  plan.domains = {AirDomain{.slot = 0ns, .difs = 100us, .cw_min = 0, .cw_max = 0, .access = MediumAccess::kRoundRobin}};
  plan.stations.resize(3, Station{0, 4});
  Medium medium(plan, 1);
  std::uint64_t frames[3] = {};
  for (HostTime now = kTurnsStart; now < kTurnsStart + 3s; now += 50us) {
    for (std::uint32_t station = 0; station < 3; ++station) {
      while (medium.has_room(RobotSlot{station}, HostTime::max())) {
        medium.enqueue(RobotSlot{station}, {.arrived = now, .air_time = 900us, .deliveries = station});
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
