// SPDX-License-Identifier: Apache-2.0
// One core or two: the same frames have the same fates. Both worlds turn by the same clock, one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "path/cores/crossings.h"
#include "path/cores/media_homes.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kRobots = 4;

PathSettings busy_settings() {
  PathSettings settings = plain_settings(kRobots);
  settings.hold_frames = 4096;
  for (std::size_t link = 0; link < settings.air.rules.size(); ++link) {
    LinkRules& rules = settings.air.rules[link];
    rules.policy = static_cast<ErrorPolicy>(link % 5);
    rules.extra_hazard = hazard_of(link % 3 == 0 ? 2e-5 : 0);
    rules.extra_delay = Nanoseconds{static_cast<std::int64_t>(link) * 50'000};
    Impairments impairments;
    impairments.loss = GilbertElliottLoss{0.05, 0.3, 0, 0.8};
    if (link % 2 == 0) {
      impairments.jitter = Jitter{UniformDelay{0us, 700us}, static_cast<JitterMode>(link % 3), 100us};
    }
    if (link % 4 == 1) {
      impairments.duplication = Duplication{0.2, 30us};
    }
    if (link % 5 == 2) {
      impairments.rate = RateLimit{.bits_per_second = 20e6, .queue_frames = 20};
    }
    rules.impairments = std::make_shared<const Impairments>(impairments);
  }
  return settings;
}

// Radios at 65 Mbit/s. Those of ports 0, 1 and 2 meet on one medium; that of port 3 has one of its own, which is its
// core's alone.
PathSettings radio_settings(MediumAccess access) {
  PathSettings settings = busy_settings();
  const PhyMode unicast{.preamble = 36us, .symbol = 4us, .bits_per_symbol = 260, .ack = 44us, .rate_bps = 65e6};
  const PhyMode group{.preamble = 20us, .symbol = 4us, .bits_per_symbol = 24, .rate_bps = 6e6};
  settings.air.modes = {unicast, group};
  AirDomain domain;
  domain.access = access;
  domain.slot = 20us;
  domain.difs = 50us;
  domain.cw_min = 15;
  settings.air.domains = {domain, domain};
  for (std::uint32_t i = 0; i < kRobots; ++i) {
    settings.air.stations[i] = Station{.domain = i == 3 ? 1U : 0U, .queue_frames = 30};
  }
  for (std::size_t link = 0; link < settings.air.rules.size(); ++link) {
    LinkRules& rules = settings.air.rules[link];
    rules.extra_hazard = hazard_of(link % 3 == 0 ? 2e-4 : 0);
    rules.tries = 4;
    rules.impairments.reset();
  }
  return settings;
}

// Ports 0 and 1 on the first core, 2 and 3 on the second; or all on one.
class Gateway {
 public:
  explicit Gateway(std::size_t cores, const PathSettings& settings = busy_settings())
      : pool_(8192, 2048), core_of_port_(kRobots, 0), feed_(kRobots * kRobots), other_feed_(kRobots * kRobots) {
    for (std::uint32_t i = 0; i < kRobots; ++i) {
      core_of_port_[i] = cores == 1 ? 0 : i / 2;
      ports_.push_back(std::make_unique<VectorPort>(pool_, clock_));
      ports_.back()->keep_bytes = true;
    }
    rings_ = std::make_unique<CrossingRings>(cores, 4096);
    homes_ = media_homes(settings, core_of_port_, cores);
    for (std::size_t core = 0; core < cores; ++core) {
      std::vector<VectorPort*> own;
      for (std::uint32_t i = 0; i < kRobots; ++i) {
        own.push_back(core_of_port_[i] == core ? ports_[i].get() : nullptr);
      }
      paths_.push_back(std::make_unique<Path>(settings, own, pool_, core == 0 ? feed_ : other_feed_,
                                              rings_->of(core, core_of_port_, homes_)));
    }
  }
  ~Gateway() {
    for (auto& path : paths_) {
      path->drain();
    }
    for (auto& port : ports_) {
      port->reap();
    }
    EXPECT_EQ(pool_.leaked(), 0U);
  }

  void arrive(std::uint32_t port, const Bytes& bytes) {
    const auto frame = pool_.make(bytes, clock_.now());
    ASSERT_TRUE(frame);
    ports_[port]->arrive(*frame);
  }
  // Twice, and the core first that decides no medium of others, so that what crosses is taken up at the same instant.
  void iterate() {
    for (int round = 0; round < 2; ++round) {
      for (auto path = paths_.rbegin(); path != paths_.rend(); ++path) {
        (*path)->iterate(clock_);
        EXPECT_TRUE((*path)->totals().balanced());
      }
    }
  }
  void run(Nanoseconds length) {
    for (const HostTime end = clock_.now() + length; clock_.now() < end;) {
      clock_.advance(10us);
      iterate();
    }
  }

  /// What left by a port, in an order that does not depend on how equal instants of different links are sorted.
  std::vector<std::pair<HostTime, Bytes>> sent(std::uint32_t port) const {
    std::vector<std::pair<HostTime, Bytes>> all;
    for (const Sent& sent : ports_[port]->sent()) {
      all.emplace_back(sent.at, sent.bytes);
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  PathTotals totals() const {
    PathTotals sum;
    for (const auto& path : paths_) {
      sum.add(path->totals());
    }
    sum.settle_crossings();
    return sum;
  }

 private:
  using Path = FramePath<VectorPort, VectorPool>;
  FakeClock clock_;
  VectorPool pool_;
  std::vector<std::size_t> core_of_port_;
  std::vector<std::size_t> homes_;
  LinkTableFeed feed_, other_feed_;
  std::vector<std::unique_ptr<VectorPort>> ports_;
  std::unique_ptr<CrossingRings> rings_;
  std::vector<std::unique_ptr<Path>> paths_;
};

void expect_the_results_of_one(const PathSettings& settings, int frames, Nanoseconds between) {
  Gateway one(1, settings);
  Gateway two(2, settings);
  std::mt19937_64 random(7);
  for (int i = 0; i < frames; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % kRobots);
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % (kRobots - 1)) % kRobots);
    Bytes frame = udp_frame(from + 1, to + 1, 20 + random() % 1000);
    if (random() % 8 == 0) {
      std::fill_n(frame.begin(), 6, std::byte{0xff});
    }
    one.arrive(from, frame);
    two.arrive(from, frame);
    one.run(between);
    two.run(between);
  }
  one.run(40ms);
  two.run(40ms);
  EXPECT_GT(two.totals().dropped_total(), 10U);
  EXPECT_GT(two.totals().damaged, 10U);
  EXPECT_EQ(one.totals().dropped, two.totals().dropped);
  EXPECT_EQ(one.totals().deliveries, two.totals().deliveries);
  EXPECT_EQ(one.totals().damaged, two.totals().damaged);
  EXPECT_EQ(two.totals().held, 0U);
  for (std::uint32_t port = 0; port < kRobots; ++port) {
    EXPECT_GT(one.sent(port).size(), 50U);
    EXPECT_TRUE(one.sent(port) == two.sent(port)) << "port " << port;  // thousands of frames are not worth printing
  }
}

TEST(Cores, TwoGiveTheResultsOfOne) {
  expect_the_results_of_one(busy_settings(), 4000, 20us);
}

TEST(Cores, RadiosOfOneMediumOnTwoMeetAsOnOne) {
  for (const MediumAccess access :
       {MediumAccess::kDcf, MediumAccess::kOverlappingDcf, MediumAccess::kAloha, MediumAccess::kRoundRobin}) {
    SCOPED_TRACE(static_cast<int>(access));
    expect_the_results_of_one(radio_settings(access), 800, 100us);
  }
}

TEST(Cores, DamageNoteCrossesWithItsDelivery) {
  CrossingRing ring(4);
  const auto held = [](std::uint32_t length) { return HeldFrame{.length = length}; };
  const auto note = [](std::uint32_t end) { return DamageNote{.exposed = {.begin = 0, .payload = 0, .end = end}}; };
  EXPECT_TRUE(ring.push(held(1)));
  EXPECT_TRUE(ring.push(held(2), note(20)));
  EXPECT_TRUE(ring.push(held(3), note(30)));
  EXPECT_TRUE(ring.push(held(4)));
  EXPECT_FALSE(ring.push(held(5), note(50)));  // the ring is full, and its note stays out as well
  EXPECT_EQ(ring.front(), nullptr);
  ring.announce();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> seen;
  const auto look = [&](const HeldFrame& frame, const DamageNote* damage) {
    EXPECT_EQ(frame.damage, kNoNode);
    seen.emplace_back(frame.length, damage != nullptr ? damage->exposed.end : 0);
  };
  EXPECT_EQ(ring.take(2, look), 2U);
  EXPECT_TRUE(ring.push(held(6), note(60)));
  ring.announce();
  EXPECT_EQ(ring.take(9, look), 3U);
  EXPECT_EQ(seen, (std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 0}, {2, 20}, {3, 30}, {4, 0}, {6, 60}}));
}

TEST(Cores, AFullRingDropsAndCounts) {
  const std::vector<std::size_t> core_of_port = {0, 1};
  FakeClock clock;
  VectorPool pool(64);
  VectorPort first(pool, clock), second(pool, clock);
  LinkTableFeed feed(4);
  const CrossingRings rings(2, 4);
  FramePath<VectorPort, VectorPool> path(plain_settings(2), {&first, nullptr}, pool, feed, rings.of(0, core_of_port));
  for (int i = 0; i < 10; ++i) {
    first.arrive(*pool.make(udp_frame(1, 2, 100), clock.now()));
  }
  path.iterate(clock);
  EXPECT_EQ(path.totals().crossed_out, 4U);
  EXPECT_EQ(path.totals().dropped[static_cast<std::size_t>(DropReason::kCrossingFull)], 6U);
  EXPECT_TRUE(path.totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
