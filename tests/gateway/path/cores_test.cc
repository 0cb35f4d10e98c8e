// SPDX-License-Identifier: Apache-2.0
// One core or two: the same frames have the same fates. Both worlds turn by the same clock, one after the other.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "gateway/path/crossings.h"
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

// Ports 0 and 1 on the first core, 2 and 3 on the second; or all on one.
class Gateway {
 public:
  explicit Gateway(std::size_t cores)
      : pool_(8192, 2048), core_of_port_(kRobots, 0), feed_(kRobots * kRobots), other_feed_(kRobots * kRobots) {
    for (std::uint32_t i = 0; i < kRobots; ++i) {
      core_of_port_[i] = cores == 1 ? 0 : i / 2;
      ports_.push_back(std::make_unique<VectorPort>(pool_, clock_));
      ports_.back()->keep_bytes = true;
    }
    rings_ = std::make_unique<CrossingRings>(cores, 4096);
    for (std::size_t core = 0; core < cores; ++core) {
      std::vector<VectorPort*> own;
      for (std::uint32_t i = 0; i < kRobots; ++i) {
        own.push_back(core_of_port_[i] == core ? ports_[i].get() : nullptr);
      }
      paths_.push_back(std::make_unique<Path>(busy_settings(), own, pool_, core == 0 ? feed_ : other_feed_,
                                              rings_->of(core, core_of_port_)));
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
  // Twice, so that what crosses is taken up at the same instant.
  void iterate() {
    for (int round = 0; round < 2; ++round) {
      for (auto& path : paths_) {
        path->iterate(clock_);
        EXPECT_TRUE(path->totals().balanced());
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
  LinkTableFeed feed_, other_feed_;
  std::vector<std::unique_ptr<VectorPort>> ports_;
  std::unique_ptr<CrossingRings> rings_;
  std::vector<std::unique_ptr<Path>> paths_;
};

TEST(Cores, TwoGiveTheResultsOfOne) {
  Gateway one(1);
  Gateway two(2);
  std::mt19937_64 random(7);
  for (int i = 0; i < 4000; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % kRobots);
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % (kRobots - 1)) % kRobots);
    const Bytes frame = udp_frame(from + 1, to + 1, 20 + random() % 1000);
    one.arrive(from, frame);
    two.arrive(from, frame);
    one.run(20us);
    two.run(20us);
  }
  one.run(20ms);
  two.run(20ms);
  EXPECT_GT(two.totals().dropped_total(), 100U);
  EXPECT_GT(two.totals().damaged, 10U);
  EXPECT_EQ(one.totals().dropped, two.totals().dropped);
  EXPECT_EQ(one.totals().deliveries, two.totals().deliveries);
  EXPECT_EQ(one.totals().damaged, two.totals().damaged);
  EXPECT_EQ(two.totals().held, 0U);
  for (std::uint32_t port = 0; port < kRobots; ++port) {
    EXPECT_EQ(one.sent(port), two.sent(port)) << "port " << port;
  }
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
