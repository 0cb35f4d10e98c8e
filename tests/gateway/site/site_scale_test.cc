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

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kGateways = 100;
constexpr std::uint32_t kRobots = 2000;
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
  for (std::uint32_t i = 0; i < kRobots; ++i) {
    terms.gateway_of.push_back(i % kGateways);
  }
  return terms;
}

Nanoseconds processor_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds{time.tv_sec} + Nanoseconds{time.tv_nsec};
}

// Time goes in steps of a millisecond; clocks are up to 100 us apart.
class Hall {
 public:
  Hall() {
    for (std::uint32_t i = 0; i < kGateways; ++i) {
      gateways_.push_back(std::make_unique<TunnelPeers>(hall_terms(i), 1));
      gateways_.back()->set_zero(kBegin);
    }
  }

  void run(Nanoseconds span) {
    for (const HostTime end = now_ + span; now_ < end; now_ += kStep) {
      deliver();
      for (std::uint32_t i = 0; i < kGateways; ++i) {
        const auto turn = Nanoseconds{i * 1ms};  // they did not begin at once
        if (is_up(i) && (now_.time_since_epoch() - turn) % TunnelPeers::kBeaconEvery == 0ns) {
          speak(i);
        }
      }
    }
  }
  void part(std::uint32_t gateways) { parted_ = gateways; }
  void kill(std::uint32_t gateway) { killed_ = gateway; }

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

  [[nodiscard]] bool is_up(std::uint32_t gateway) const { return gateway != killed_; }
  [[nodiscard]] Peer::Moment moment(std::uint32_t gateway) const {
    return {now_, kBegin + 1h + now_.time_since_epoch() + Nanoseconds{1000 * (gateway % 100)}};
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

}  // namespace hilgate::test
