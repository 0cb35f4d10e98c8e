// SPDX-License-Identifier: Apache-2.0
// A hundred gateways with twenty robots each: what they say to one another over a network that takes its time and
// loses some of it, by the code that runs in gateways, without their sockets. Prints what each costs.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <deque>
#include <memory>
#include <vector>

#include "gateway/site/tunnel_peers.h"
#include "gateway/site/zero_choice.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kGateways = 100;
constexpr std::uint32_t kScaleRobots = 2000;
constexpr Nanoseconds kStep = 1ms;
constexpr WallTime kBegin{Nanoseconds{1'795'510'000'000'000'000}};
constexpr std::uint32_t kFirstAddress = 0x0A000001;

SiteTerms hall_terms(std::uint32_t own) {
  SiteTerms terms{.site = "hall",
                  .gateways = {},
                  .own = own,
                  .digest = 42,
                  .version = "1.0",
                  .clock_within = 1ms,
                  .silent_after = 500ms,
                  .zero_within = 500us};
  for (std::uint32_t i = 0; i < kGateways; ++i) {
    terms.gateways.push_back({"g" + std::to_string(i), kFirstAddress + i, 6081});
  }
  for (std::uint32_t i = 0; i < kScaleRobots; ++i) {
    terms.gateway_of.push_back(i % kGateways);
  }
  return terms;
}

Nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + Nanoseconds{time.tv_nsec};
}

// Time goes in steps of a millisecond; clocks are up to 100 us apart. A gateway that is to begin anew computes for half
// a second, and has no simulation time for a tenth.
class Hall {
 public:
  Hall() {
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      gateways_.push_back(std::make_unique<TunnelPeers>(hall_terms(i), 1));
      simulations_.push_back({.choice = ZeroChoice(hall_terms(i).zero_within), .zero = kBegin});
    }
  }

  void run(Nanoseconds span) {
    for (const HostTime end = now_ + span; now_ < end; now_ += kStep) {
      deliver();
      for (std::uint32_t i = 0; i < kGateways; ++i) {
        const auto turn = Nanoseconds{i * 1ms};  // they did not begin at once
        if (is_up(i) && (now_.time_since_epoch() - turn) % TunnelPeers::kBeaconEvery == 0ns) {
          choose(i);
          speak(i);
        }
      }
    }
  }
  void part(std::uint32_t gateways) { parted_ = gateways; }
  void kill(std::uint32_t gateway) { killed_ = gateway; }
  /// Its simulation began then, or its clock says so, which was stepped.
  void set_zero(std::uint32_t gateway, WallTime zero) { simulations_[gateway].zero = zero; }
  void step_clock(std::uint32_t gateway, Nanoseconds by) { simulations_[gateway].clock = by; }
  [[nodiscard]] std::size_t began_anew() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(simulations_, [](const Simulated& each) { return each.times > 0; }));
  }
  [[nodiscard]] std::size_t times(std::uint32_t gateway) const { return simulations_[gateway].times; }
  /// Those whose simulation began then.
  [[nodiscard]] std::size_t with_zero(WallTime zero) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(simulations_, [&](const Simulated& each) { return each.zero == zero; }));
  }

  /// How many of the others are in this state, of all gateways that are up.
  std::size_t count(PeerState state) {
    std::size_t sum = 0;
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      for (std::uint32_t j = 0; j < kGateways; ++j) {
        sum += is_up(i) && i != j && gateways_[i]->peer(j).report.state == state ? 1 : 0;
      }
    }
    return sum;
  }
  std::uint64_t beacons = 0;
  std::uint64_t bytes = 0;
  Nanoseconds spent{0};  // of this thread's processor

 private:
  struct Datagram {
    HostTime at;
    std::uint32_t from;
    std::uint32_t to;
    std::vector<std::byte> bytes;
  };

  struct Simulated {
    ZeroChoice choice;
    std::optional<WallTime> zero;
    std::optional<WallTime> computed{};  // its windows are
    HostTime until{};
    Nanoseconds clock{0};  // so much later than the others'
    std::size_t times = 0;
  };

  // As SiteRejoin does.
  void choose(std::uint32_t gateway) {
    Simulated& own = simulations_[gateway];
    if (!own.zero && now_ >= own.until) {
      own.zero = own.computed;
      own.computed.reset();
    }
    std::vector<WallTime> said;
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      if (const auto zero = i == gateway ? std::nullopt : zero_at(gateways_[gateway]->peer(i).report)) {
        said.push_back(*zero);
      }
    }
    own.choice.look(now_, own.zero, std::move(said));
    gateways_[gateway]->set_zero(own.choice.told());
    const auto wanted = own.choice.wanted();
    if (own.computed != wanted && own.zero) {
      own.computed = wanted;
      own.until = now_ + 500ms;
    } else if (own.computed && own.zero && now_ >= own.until) {
      own.zero.reset();
      own.until = now_ + 100ms;
      ++own.times;
    }
  }

  [[nodiscard]] bool is_up(std::uint32_t gateway) const { return gateway != killed_; }
  [[nodiscard]] Peer::Moment moment(std::uint32_t gateway) const {
    return {now_,
            kBegin + 1h + now_.time_since_epoch() + Nanoseconds{1000 * (gateway % 100)} + simulations_[gateway].clock};
  }
  bool is_lost(std::uint32_t from, std::uint32_t to) {
    random_ = random_ * 6364136223846793005U + 1442695040888963407U;
    return (from < parted_) != (to < parted_) || (random_ >> 33) % 100 == 0;
  }

  void speak(std::uint32_t gateway) {
    const Nanoseconds begin = processor_time();
    gateways_[gateway]->judge(now_);
    for (std::uint32_t to = 0; to < kGateways; ++to) {
      if (to == gateway) {
        continue;
      }
      const auto beacon = gateways_[gateway]->beacon(to, moment(gateway));
      ++beacons;
      bytes += beacon.size();
      if (!is_lost(gateway, to)) {
        way_.push_back({now_ + kStep, gateway, to, {beacon.begin(), beacon.end()}});
      }
    }
    spent += processor_time() - begin;
  }

  void deliver() {
    const Nanoseconds begin = processor_time();
    for (; !way_.empty() && way_.front().at <= now_; way_.pop_front()) {
      const Datagram& datagram = way_.front();
      if (is_up(datagram.to)) {
        static_cast<void>(
            gateways_[datagram.to]->take({kFirstAddress + datagram.from, 6081, datagram.bytes}, moment(datagram.to)));
      }
    }
    spent += processor_time() - begin;
  }

  std::vector<std::unique_ptr<TunnelPeers>> gateways_;
  std::vector<Simulated> simulations_;
  std::deque<Datagram> way_;
  HostTime now_{Nanoseconds{1'000'000'000}};
  std::uint32_t parted_ = 0;
  std::uint32_t killed_ = kGateways;
  std::uint64_t random_ = 1;
};

constexpr std::size_t kPairs = kGateways * (kGateways - 1);

}  // namespace

TEST(SiteScaleTest, AHundredGatewaysFindLoseAndFindOneAnother) {
  Hall hall;
  hall.run(400ms);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs);
  hall.run(500ms);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs) << "one beacon in a hundred is lost, and nobody is missed for it";
  hall.kill(17);
  hall.run(600ms);
  EXPECT_EQ(hall.count(PeerState::kMissing), kGateways - 1);
  hall.kill(kGateways);
  hall.run(300ms);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs);
  hall.part(40);
  hall.run(700ms);
  EXPECT_EQ(hall.count(PeerState::kMissing), 2U * 40 * 60);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs - 2U * 40 * 60) << "the halves go on";
  hall.part(0);
  hall.run(300ms);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs);
  const double each = static_cast<double>(hall.spent.count()) / static_cast<double>(hall.beacons);
  std::printf("%llu beacons of %llu bytes; %.0f ns each, made and taken; peers of a gateway %zu bytes\n",
              static_cast<unsigned long long>(hall.beacons), static_cast<unsigned long long>(hall.bytes / hall.beacons),
              each, kGateways * sizeof(Peer));
}

// 40 and 60 that never saw each other, and one of these that began a third time.
TEST(SiteScaleTest, HalvesThatBeganApartAreOneWithoutAStart) {
  Hall hall;
  hall.part(40);
  for (std::uint32_t i = 0; i < 40; ++i) {
    hall.set_zero(i, kBegin - 1h);
  }
  hall.set_zero(70, kBegin + 10s);
  hall.run(900ms);
  EXPECT_EQ(hall.count(PeerState::kHere), 40U * 39 + 59U * 58);
  EXPECT_EQ(hall.count(PeerState::kOtherZero), 2U * 59);
  hall.run(3s);
  EXPECT_EQ(hall.count(PeerState::kHere), 40U * 39 + 60U * 59);
  EXPECT_EQ(hall.began_anew(), 1U) << "the halves go on";
  hall.part(0);
  hall.run(500ms);
  EXPECT_EQ(hall.count(PeerState::kOtherZero), 2U * 40 * 60);
  hall.run(2500ms);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs);
  EXPECT_EQ(hall.with_zero(kBegin), kGateways);
  EXPECT_EQ(hall.began_anew(), 41U) << "most gateways go on as they are";
  for (std::uint32_t i = 0; i < 40; ++i) {
    EXPECT_EQ(hall.times(i), 1U);
  }
}

TEST(SiteScaleTest, OfTwoHalvesTheOlderOneContinues) {
  Hall hall;
  for (std::uint32_t i = 0; i < 50; ++i) {
    hall.set_zero(i, kBegin - 1h);
  }
  hall.run(4s);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs);
  EXPECT_EQ(hall.with_zero(kBegin - 1h), kGateways);
  EXPECT_EQ(hall.began_anew(), 50U);
}

// A clock goes 3 s back and comes again, slewed: then its zero would be the oldest of all.
TEST(SiteScaleTest, SteppedClockIsNamedCostsOthersNothingAndReturns) {
  Hall hall;
  hall.run(1s);
  hall.step_clock(17, -3s);
  hall.set_zero(17, kBegin - 3s);
  hall.run(2s);
  EXPECT_EQ(hall.count(PeerState::kClockApart), 2U * (kGateways - 1));
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs - 2U * (kGateways - 1)) << "the others lose nothing";
  hall.step_clock(17, 0s);
  hall.run(4s);
  EXPECT_EQ(hall.count(PeerState::kHere), kPairs);
  EXPECT_EQ(hall.began_anew(), 1U);
  EXPECT_EQ(hall.times(17), 1U);
}

}  // namespace hilgate::test
