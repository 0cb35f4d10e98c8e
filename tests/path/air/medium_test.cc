// SPDX-License-Identifier: Apache-2.0
#include "path/air/medium.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>

#include "tests/support/gateway_rig.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kStart{1s};

// Stations of one 802.11n domain at 5 GHz, each kept busy with frames of 1500 bytes of payload.
class Cell {
 public:
  struct End {
    std::uint32_t station;
    HostTime on_air_until;
    std::optional<DropReason> lost;
  };

  explicit Cell(std::uint32_t stations, AirDomain rules = {}, std::uint32_t queue = 4, std::uint64_t seed = 1)
      : medium_(plan(stations, rules, queue), seed), stations_(stations) {}

  static AirPlan plan(std::uint32_t stations, AirDomain rules, std::uint32_t queue) {
    AirPlan plan;
    plan.modes = {ht_mcs7()};
    plan.domains = {rules};
    plan.stations.resize(stations, Station{0, queue});
    return plan;
  }
  static AirJob job(HostTime arrived, std::uint32_t tries = 7) {
    const PhyMode mode = ht_mcs7();
    return {.arrived = arrived, .air_time = mode.air_time(1514), .ack = mode.ack, .tries_left = tries};
  }

  bool send(std::uint32_t station, AirJob job) {
    job.deliveries = station;  // tells the results apart
    return medium_.enqueue(RobotSlot{station}, job);
  }
  std::vector<End> advance(HostTime now) {
    std::vector<End> ends;
    medium_.advance(now, [&](const AirResult& result) {
      ends.push_back({result.deliveries, result.on_air_until, result.lost});
    });
    return ends;
  }
  // Keeps all queues full until `end`, in steps shorter than any exchange.
  std::vector<End> saturate(Nanoseconds length, std::uint32_t tries = 7) {
    std::vector<End> ends;
    for (HostTime now = kStart; now < kStart + length; now += 50us) {
      for (std::uint32_t station = 0; station < stations_; ++station) {
        while (medium_.has_room(RobotSlot{station}, HostTime::max())) {
          send(station, job(now, tries));
        }
      }
      const auto more = advance(now);
      ends.insert(ends.end(), more.begin(), more.end());
    }
    return ends;
  }
  Medium& medium() { return medium_; }

 private:
  Medium medium_;
  std::uint32_t stations_;
};

// IEEE 802.11n, MCS 7, 1500 bytes: PPDU 228 us, exchange 34 + 67.5 + 228 + 16 + 28 = 373.5 us
// (tests/oracles/analytic.csv), with a mean backoff of 7.5 slots of 9 us.
TEST(Medium, ASaturatedStationTakesTheReferencesExchangeTime) {
  EXPECT_EQ(ht_mcs7().air_time(1514), 228us);
  Cell cell(1);
  const auto ends = cell.saturate(4s);
  ASSERT_GT(ends.size(), 10'000U);
  const double mean =
      std::chrono::duration<double, std::micro>(ends.back().on_air_until - ends.front().on_air_until).count() /
      static_cast<double>(ends.size() - 1);
  // Backoff is uniform over 16 values of 9 us: standard deviation 41.5 us; 3.3 of the mean's over 10 000.
  EXPECT_NEAR(mean, 373.5, 3.3 * 41.5 / std::sqrt(static_cast<double>(ends.size())));
}

// QoS data waits AIFS: AIFSN 3 is a slot more than DIFS.
TEST(Medium, AStationWithALongerAifsWaitsLongerAndCountsFewerSlots) {
  AirPlan plan = Cell::plan(2, {}, 4);
  plan.stations[1]->more_ifs = 9us;
  Medium medium(plan, 1);
  std::vector<HostTime> ends;
  const auto note = [&](const AirResult& result) { ends.push_back(result.on_air_until); };
  std::array<Nanoseconds, 2> mean{};
  for (std::uint32_t station = 0; station < 2; ++station) {
    ends.clear();
    for (HostTime now = kStart + 10s * station; ends.size() < 4000; now += 50us) {
      while (medium.has_room(RobotSlot{station}, HostTime::max())) {
        medium.enqueue(RobotSlot{station}, Cell::job(now));
      }
      medium.advance(now, note);
    }
    medium.advance(kStart + 10s * station + 9s, note);
    mean[station] = (ends.back() - ends.front()) / static_cast<std::int64_t>(ends.size() - 1);
  }
  EXPECT_NEAR(static_cast<double>((mean[1] - mean[0]).count()), 9000, 2500);
}

TEST(Medium, FramesCountCollidedTries) {
  Cell cell(2);
  AirJob job = Cell::job(kStart);
  cell.send(0, job);
  cell.send(1, job);
  std::vector<std::uint32_t> disturbed;
  cell.medium().advance(kStart + 1s, [&](const AirResult& result) { disturbed.push_back(result.disturbed); });
  ASSERT_EQ(disturbed.size(), 2U);
  EXPECT_GE(disturbed[0], 1U);
  EXPECT_GE(disturbed[1], 1U);
}

TEST(Medium, BackoffIsUniformOverTheWindow) {
  Cell cell(1);
  const auto ends = cell.saturate(8s);
  std::vector<std::uint64_t> slots(16);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const Nanoseconds backoff = ends[i].on_air_until - ends[i - 1].on_air_until - (34us + 228us + 44us);
    ASSERT_EQ(backoff.count() % 9000, 0);
    ASSERT_LT(backoff / 9us, 16);
    ++slots[static_cast<std::size_t>(backoff / 9us)];
  }
  EXPECT_GT(uniform_tail(slots), 1e-3);
}

// G. Bianchi, "Performance analysis of the IEEE 802.11 distributed coordination function", JSAC 18(3), 2000, eqns. 7
// and 9: tau(p) of a station whose window doubles from W at most m times, and p = 1 - (1 - tau)^(n - 1).
double bianchi_collision(int stations, double window, int doublings) {
  double low = 0;
  double high = 0.99;
  for (int i = 0; i < 100; ++i) {
    const double p = (low + high) / 2;
    const double tau = 2 * (1 - 2 * p) / ((1 - 2 * p) * (window + 1) + p * window * (1 - std::pow(2 * p, doublings)));
    (1 - std::pow(1 - tau, stations - 1) > p ? low : high) = p;
  }
  return low;
}

// With one try a frame that collides is lost, but then windows never double: Bianchi's m = 0, p = tau = 2 / (W + 1).
TEST(Medium, TwoStationsShareEquallyAndCollideByBianchi) {
  for (const std::uint32_t tries : {1U, 7U}) {
    Cell cell(2);
    const auto ends = cell.saturate(20s, tries);
    std::uint64_t frames[2] = {};
    std::uint64_t lost = 0;
    for (const Cell::End& end : ends) {
      ++frames[end.station];
      lost += end.lost ? 1 : 0;
    }
    const double share = static_cast<double>(frames[0]) / static_cast<double>(frames[0] + frames[1]);
    EXPECT_NEAR(share, 0.5, 0.02) << tries;
    if (tries == 1) {
      // The model lets a counter go down in busy slots too, which here stand still; hence the tolerance of a tenth.
      const double expected = bianchi_collision(2, 16, 0);
      EXPECT_NEAR(static_cast<double>(lost) / static_cast<double>(ends.size()), expected, 0.1 * expected);
    } else {
      EXPECT_LT(static_cast<double>(lost) / static_cast<double>(ends.size()), 1e-3);  // seven collisions in a row
    }
  }
}

// Of n air times, those not behind a delivery were collisions of two: 1 - deliveries / tries.
TEST(Medium, WindowsDoubleAfterCollisionsByBianchi) {
  for (const std::uint32_t stations : {2U, 5U, 10U}) {
    AirDomain rules{};
    Cell cell(stations, rules);
    const auto ends = cell.saturate(20s, 1000);  // never given up
    const Nanoseconds exchange = 228us + 44us;
    const double transmissions = static_cast<double>(cell.medium().busy(0) / exchange);  // times the medium was taken
    const double successes = static_cast<double>(ends.size());
    const double p = bianchi_collision(static_cast<int>(stations), 16, 6);
    const double tau = 1 - std::pow(1 - p, 1.0 / (stations - 1));
    const double some = 1 - std::pow(1 - tau, stations);
    const double alone = stations * tau * std::pow(1 - tau, stations - 1) / some;
    EXPECT_NEAR(successes / transmissions, alone, 0.03) << stations << " stations";
  }
}

TEST(Medium, AnIdleMediumIsTakenAtOnce) {
  Cell cell(2);
  ASSERT_TRUE(cell.send(0, Cell::job(kStart)));
  const auto ends = cell.advance(kStart);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_EQ(ends[0].on_air_until, kStart + 228us);
}

TEST(Medium, NoTransmissionBeginsBeforeItsArrival) {
  Cell cell(1);
  ASSERT_TRUE(cell.send(0, Cell::job(kStart + 1us)));
  EXPECT_TRUE(cell.advance(kStart + 999ns).empty());
  EXPECT_EQ(cell.advance(kStart + 1us).size(), 1U);
}

TEST(Medium, TheQueueHoldsItsFramesAndNoMore) {
  Cell cell(2, {}, 3);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(cell.medium().has_room(RobotSlot{0}, HostTime::max()));
    EXPECT_TRUE(cell.send(0, Cell::job(kStart)));
  }
  EXPECT_FALSE(cell.medium().has_room(RobotSlot{0}, HostTime::max()));
  EXPECT_FALSE(cell.send(0, Cell::job(kStart)));
  EXPECT_EQ(cell.medium().queued(RobotSlot{0}), 3U);
  EXPECT_TRUE(cell.medium().has_room(RobotSlot{1}, HostTime::max())) << "each has its own";
  EXPECT_EQ(cell.advance(kStart + 1s).size(), 3U);
  EXPECT_EQ(cell.medium().queued(RobotSlot{0}), 0U);
}

TEST(Medium, LostTriesTakeAirTimeLikeOthers) {
  Cell cell(1);
  AirJob lost = Cell::job(kStart);
  lost.failing_tries = 7;
  cell.send(0, lost);
  EXPECT_EQ(cell.advance(kStart + 1s).size(), 1U);
  EXPECT_EQ(cell.medium().busy(0), 7 * (228us + 44us));
  AirJob third = Cell::job(kStart + 2s);
  third.failing_tries = 2;
  cell.send(0, third);
  const auto ends = cell.advance(kStart + 3s);
  ASSERT_EQ(ends.size(), 1U);
  EXPECT_FALSE(ends[0].lost);
  EXPECT_EQ(cell.medium().busy(0), 10 * (228us + 44us));
}

// Two failing tries and a limit of three: one collision more and there is no try left that succeeds.
TEST(Medium, CollisionsUseUpTriesOfAFrameThatFailsByItself) {
  AirDomain always_collides{.cw_min = 0, .cw_max = 0};
  Cell cell(2, always_collides);
  AirJob failing = Cell::job(kStart, 3);
  failing.failing_tries = 2;
  cell.send(0, failing);
  cell.send(1, Cell::job(kStart, 1));  // collides with the first try, then is gone
  const auto ends = cell.advance(kStart + 1s);
  ASSERT_EQ(ends.size(), 2U);
  EXPECT_EQ(ends[0].station, 1U);
  EXPECT_EQ(ends[0].lost, DropReason::kCollision);
  EXPECT_EQ(ends[1].station, 0U);
  EXPECT_EQ(ends[1].lost, DropReason::kRetriesSpent) << "its second and third try failed on the air";
}

// Stations that find the medium busy must not all start DIFS after it becomes idle, whether the frames are captured
// one by one or together.
TEST(Medium, FramesThatArriveDuringATransmissionBackOff) {
  for (const bool together : {false, true}) {
    std::uint64_t collisions = 0;
    constexpr std::uint64_t kRounds = 4000;
    Cell cell(3);
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const HostTime at = kStart + Nanoseconds{20ms} * static_cast<std::int64_t>(round);
      cell.send(0, Cell::job(at, 1));
      if (!together) {
        cell.advance(at);
      }
      cell.send(1, Cell::job(at + 50us, 1));
      cell.send(2, Cell::job(at + 100us, 1));
      for (const Cell::End& end : cell.advance(at + 19ms)) {
        collisions += end.lost && end.station == 1 ? 1 : 0;
      }
    }
    EXPECT_GT(binomial_tails(collisions, kRounds, 1.0 / 16), 1e-3) << collisions << (together ? " together" : " apart");
  }
}

// The same frames, looked at in small steps or once at the end.
TEST(Medium, TheStepsOfTheClockDoNotMatter) {
  const auto ends_with_step = [](Nanoseconds step) {
    Cell cell(4, {}, 1000);
    std::vector<std::pair<HostTime, std::uint32_t>> arrivals;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      FrameRandom random(5, 1, i);
      arrivals.emplace_back(kStart + Nanoseconds{static_cast<std::int64_t>(random.below(900'000'000))},
                            static_cast<std::uint32_t>(random.below(4)));
    }
    std::ranges::sort(arrivals);
    std::vector<std::pair<std::int64_t, std::uint32_t>> ends;
    std::size_t next = 0;
    for (HostTime now = kStart; now <= kStart + 4s; now += step) {
      for (; next < arrivals.size() && arrivals[next].first <= now; ++next) {
        EXPECT_TRUE(cell.send(arrivals[next].second, Cell::job(arrivals[next].first)));
      }
      for (const Cell::End& end : cell.advance(now)) {
        ends.emplace_back(end.on_air_until.time_since_epoch().count(), end.station);
      }
    }
    EXPECT_EQ(ends.size(), 2000U);
    return ends;
  };
  const auto fine = ends_with_step(5us);
  EXPECT_EQ(ends_with_step(40us), fine);
  EXPECT_EQ(ends_with_step(1ms), fine);
  EXPECT_EQ(ends_with_step(1s), fine);
}

TEST(Medium, HalfDuplexNeverOverlaps) {
  Cell cell(5);
  auto ends = cell.saturate(3s, 1000);
  std::ranges::sort(ends, {}, &Cell::End::on_air_until);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    ASSERT_GE(ends[i].on_air_until - ends[i - 1].on_air_until, 228us + 44us + 34us);
  }
}

TEST(Medium, DomainsDoNotReceiveEachOther) {
  AirPlan plan;
  plan.domains = {AirDomain{}, AirDomain{}};
  plan.stations = {Station{0, 4}, Station{1, 4}};
  Medium medium(plan, 1);
  medium.enqueue(RobotSlot{0}, Cell::job(kStart));
  medium.enqueue(RobotSlot{1}, Cell::job(kStart));
  int delivered = 0;
  medium.advance(kStart, [&](const AirResult& result) { delivered += result.lost ? 0 : 1; });
  EXPECT_EQ(delivered, 2);
}

TEST(Medium, MulticastHasNoAcknowledgementAndNoRepeat) {
  PathSettings settings = plain_settings(3);
  settings.air.domains = {AirDomain{}};
  for (auto& station : settings.air.stations) {
    station = Station{0, 100};
  }
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = ErrorPolicy::kArq;
  }
  GatewayRig rig(settings);
  rig.publish({.multicast = hazard_of(1)});
  rig.arrive(0, ethernet({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, 0x88F7, payload(1500)));
  rig.arrive(1, ethernet({.destination = mac_of(3), .source = mac_of(2), .tags = {}}, 0x88F7, payload(1500)),
             rig.clock.now() + 1us);
  const HostTime start = rig.clock.now();
  rig.run(2ms, 1us);
  EXPECT_EQ(rig.dropped(DropReason::kLostOnAir), 2U);
  EXPECT_EQ(rig.link(0, 1).failed_tries.get(), 1U);
  ASSERT_EQ(rig.sent(2).size(), 1U);
  // Two frames, DIFS and a backoff, but no room for an acknowledgement of 44 us.
  const Nanoseconds backoff = rig.sent(2)[0].at - start - (228us + 34us + 228us);
  EXPECT_EQ(backoff % 9us, 0us);
  EXPECT_LT(backoff, 16 * 9us);
}

TEST(Medium, DrainReturnsWaitingFrames) {
  Cell cell(2, {}, 10);
  for (int i = 0; i < 10; ++i) {
    cell.send(0, Cell::job(kStart));
    cell.send(1, Cell::job(kStart));
  }
  std::size_t lists = 0;
  cell.medium().drain([&](NodeIndex) { ++lists; });
  EXPECT_EQ(lists, 20U);
  EXPECT_EQ(cell.medium().queued(RobotSlot{0}), 0U);
  EXPECT_TRUE(cell.send(0, Cell::job(kStart)));
  EXPECT_EQ(cell.advance(kStart + 1s).size(), 1U);
}

}  // namespace
}  // namespace hilgate::test
