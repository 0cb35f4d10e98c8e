// SPDX-License-Identifier: Apache-2.0
// Two gateways with two stations each of one medium, beside one gateway with all four: the same frames at the same
// instants, over real sockets that take no time of theirs.
#include "gateway/site/tunnel_requests.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <random>
#include <utility>
#include <vector>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kTunnelRobots = 4;
constexpr WallTime kZero{Nanoseconds{1'790'000'000'000'000'000}};
constexpr WallLine kWallLine{HostTime{}, kZero + 1h};
constexpr std::uint16_t kPort = 26'810;

PathSettings hall(MediumAccess access) {
  PathSettings settings = plain_settings(kTunnelRobots);
  const PhyMode unicast{.preamble = 36us, .symbol = 4us, .bits_per_symbol = 260, .ack = 44us, .rate_bps = 65e6};
  const PhyMode group{.preamble = 20us, .symbol = 4us, .bits_per_symbol = 24, .rate_bps = 6e6};
  settings.air.modes = {unicast, group};
  AirDomain domain;
  domain.access = access;
  domain.slot = 20us;
  domain.difs = 50us;
  domain.tdma_slot = 1ms;
  domain.tdma_guard = 50us;
  settings.air.domains = {domain};
  for (std::uint32_t i = 0; i < kTunnelRobots; ++i) {
    settings.air.stations[i] = Station{.domain = 0, .queue_frames = 30};
  }
  for (std::size_t link = 0; link < settings.air.rules.size(); ++link) {
    LinkRules& rules = settings.air.rules[link];
    rules.policy = static_cast<ErrorPolicy>(link % 5);
    rules.extra_hazard = hazard_of(link % 3 == 0 ? 2e-4 : 0);
    rules.extra_delay = 2ms;
    rules.tries = 4;
  }
  return settings;
}

// Of a network simulator that decides each frame.
PathSettings judged() {
  PathSettings settings = plain_settings(kTunnelRobots);
  settings.parked_packets = 64;
  return settings;
}

SiteTerms site(std::uint32_t own, bool is_judged) {
  return {.site = "hall",
          .gateways = {{"a", 0x7F004D01, kPort}, {"b", 0x7F004D02, kPort}},
          .own = own,
          .digest = 42,
          .version = "1.0",
          .clock_within = 1ms,
          .silent_after = 500ms,
          .zero_within = 500us,
          .gateway_of = {0, 0, 1, 1},
          .media = is_judged ? judged_media(kTunnelRobots, 2)
                             : SharedMedia{.media = {{"hall", {0, 1}}}, .of_robot = {0, 0, 0, 0}}};
}

/// One gateway: robots 2 * own and 2 * own + 1 have ports, and its tunnel has no thread.
class Box {
 public:
  Box(std::uint32_t own, const PathSettings& settings, FakeClock& clock, std::size_t ring = 4096)
      : clock_(clock),
        pool_(8192, 2048),
        feed_(kTunnelRobots * kTunnelRobots),
        rings_(2, ring),
        terms_(site(own, settings.parked_packets > 0)),
        deciders_(terms_.media, own, 2),
        ends_(rings_.of(1, {1})),
        peers_(terms_, 1),
        socket_(terms_.gateways[own]),
        batch_(pool_, socket_),
        requests_(terms_, deciders_, pool_, ends_, totals_) {
    std::vector<std::size_t> homes(kTunnelRobots, CrossingRings::kNoHome);
    std::vector<std::size_t> group_of_port;
    std::vector<const std::atomic<bool>*> decided_here(kTunnelRobots);
    std::vector<VectorPort*> ports;
    for (std::uint32_t i = 0; i < kTunnelRobots; ++i) {
      const bool is_own = i / 2 == own;
      ports_.push_back(std::make_unique<VectorPort>(pool_, clock));
      ports_.back()->keep_bytes = true;
      ports.push_back(is_own ? ports_.back().get() : nullptr);
      group_of_port.push_back(is_own ? 0 : 1);
      homes[i] = is_own ? 1 : CrossingRings::kNoHome;
      decided_here[i] = is_own ? &deciders_.decided_here(0) : nullptr;
    }
    Crossings crossings = rings_.of(0, group_of_port, homes);
    crossings.decided_here = decided_here;
    path_ = std::make_unique<Path>(settings, ports, pool_, feed_, std::move(crossings));
    peers_.set_zero(kZero);
  }
  ~Box() {
    path_->drain();
    take_deliveries();
    requests_.drain();
    for (auto& port : ports_) {
      port->reap();
    }
    EXPECT_EQ(pool_.leaked(), 0U);
  }

  void arrive(std::uint32_t port, const Bytes& bytes) { ports_[port]->arrive(*pool_.make(bytes, clock_.now())); }
  void iterate() {
    path_->iterate(clock_);
    EXPECT_TRUE(path_->totals().balanced());
    take_deliveries();
  }
  void beacon() {
    peers_.advance(socket_, moment());
    requests_.look(peers_, moment().wall, true);
  }
  void send() {
    requests_.send(clock_.now(), kWallLine, peers_, batch_, [this] {
      batch_.flush([this](const auto& item, bool taken) { requests_.sent(item.held.frame(), taken); });
    });
  }
  void receive() {
    for (const TunnelSocket::Datagram& datagram : socket_.receive()) {
      if (const auto arrival = peers_.take(datagram, moment())) {
        ASSERT_EQ(arrival->packet.kind, SitePacket::Kind::kRequest);
        requests_.take(*arrival, moment(), kWallLine, peers_);
      }
    }
    requests_.announce();
  }

  [[nodiscard]] const PathTotals& totals() const { return path_->totals(); }
  [[nodiscard]] const TunnelTotals& tunnel() const { return totals_; }
  [[nodiscard]] VerdictRings& verdicts() { return path_->verdicts(); }
  [[nodiscard]] std::uint64_t dropped(DropReason reason) const {
    return totals_.dropped[static_cast<std::size_t>(reason)];
  }
  [[nodiscard]] TunnelPeers& peers() { return peers_; }
  [[nodiscard]] MediaDeciders& deciders() { return deciders_; }
  [[nodiscard]] Nanoseconds busy() const { return path_->parts().medium.busy(0); }
  /// When, and how many bytes: to a robot, here by its port or on the way to the other gateway.
  [[nodiscard]] std::vector<std::pair<HostTime, std::uint32_t>> delivered(std::uint32_t robot) const {
    std::vector<std::pair<HostTime, std::uint32_t>> all = away_[robot];
    for (const Sent& sent : ports_[robot]->sent()) {
      all.emplace_back(sent.at, sent.length);
    }
    std::ranges::sort(all);
    return all;
  }

 private:
  using Path = FramePath<VectorPort, VectorPool>;
  [[nodiscard]] Peer::Moment moment() const { return {clock_.now(), kWallLine.at(clock_.now())}; }

  // To the other gateway, which would hold them.
  void take_deliveries() {
    for (CrossingRing* ring : ends_.from) {
      ring->take(std::numeric_limits<std::size_t>::max(), [this](const HeldFrame& held, const DamageNote*) {
        away_[held.link.value() % kTunnelRobots].emplace_back(held.due, held.length);
        pool_.free(held.frame());
      });
    }
  }

  FakeClock& clock_;
  VectorPool pool_;
  LinkTableFeed feed_;
  CrossingRings rings_;
  SiteTerms terms_;
  MediaDeciders deciders_;
  Crossings ends_;
  TunnelPeers peers_;
  TunnelSocket socket_;
  OutgoingBatch<VectorPool> batch_;
  TunnelTotals totals_;
  TunnelRequests<VectorPool> requests_;
  std::vector<std::unique_ptr<VectorPort>> ports_;
  std::unique_ptr<Path> path_;
  std::array<std::vector<std::pair<HostTime, std::uint32_t>>, kTunnelRobots> away_;
};

class TwoGateways {
 public:
  explicit TwoGateways(const PathSettings& settings, std::size_t ring = 4096)
      : a(0, settings, clock, ring), b(1, settings, clock, ring) {
    for (int i = 0; i < 3; ++i) {  // both know the other's clock, by its answer
      clock.advance(100ms);
      exchange();
    }
    EXPECT_TRUE(a.peers().peer(1).is_here() && b.peers().peer(0).is_here());
    EXPECT_EQ(b.deciders().decider(0), settings.parked_packets > 0 ? SharedMedia::kNone : 0U);
  }
  void exchange() {
    a.beacon();
    b.beacon();
    a.receive();
    b.receive();
    a.beacon();
    b.beacon();
  }
  void iterate() {
    b.iterate();
    b.send();
    a.receive();
    a.iterate();
    a.send();
    b.receive();
  }
  void run(Nanoseconds length) {
    for (const HostTime end = clock.now() + length; clock.now() < end;) {
      clock.advance(10us);
      iterate();
    }
  }
  Box& of(std::uint32_t robot) { return robot < 2 ? a : b; }

  FakeClock clock;
  Box a, b;
};

std::vector<std::pair<HostTime, std::uint32_t>> sent_by(const GatewayRig& rig, std::uint32_t robot) {
  std::vector<std::pair<HostTime, std::uint32_t>> all;
  for (const Sent& sent : rig.sent(robot)) {
    all.emplace_back(sent.at, sent.length);
  }
  std::ranges::sort(all);
  return all;
}

std::vector<std::uint32_t> lengths(const std::vector<std::pair<HostTime, std::uint32_t>>& sent) {
  std::vector<std::uint32_t> all;
  for (const auto& [at, length] : sent) {
    all.push_back(length);
  }
  std::ranges::sort(all);
  return all;
}

}  // namespace

class TunnelRequestsTest : public testing::TestWithParam<MediumAccess> {};

TEST_P(TunnelRequestsTest, StationsAtTwoGatewaysMeetAsAtOne) {
  const PathSettings settings = hall(GetParam());
  TwoGateways two(settings);
  GatewayRig one(settings);
  one.clock.advance(two.clock.now() - one.clock.now());
  std::mt19937_64 random(7);
  for (int i = 0; i < 400; ++i) {
    const auto from = static_cast<std::uint32_t>(random() % kTunnelRobots);
    const auto to = static_cast<std::uint32_t>((from + 1 + random() % (kTunnelRobots - 1)) % kTunnelRobots);
    Bytes frame = udp_frame(from + 1, to + 1, 20 + random() % 1000);
    if (random() % 8 == 0) {
      std::fill_n(frame.begin(), 6, std::byte{0xff});
    }
    one.arrive(from, frame);
    two.of(from).arrive(from, frame);
    one.run(100us, 10us);
    two.run(100us);
  }
  one.run(60ms, 10us);
  two.run(60ms);
  EXPECT_EQ(two.b.tunnel().requests_out, two.a.tunnel().requests_in);
  EXPECT_GT(two.a.tunnel().requests_in, 150U);
  EXPECT_EQ(two.a.tunnel().requests_out, 0U);
  EXPECT_EQ(two.b.totals().deliveries, 0U) << "they are counted where they are decided";
  EXPECT_EQ(two.a.totals().deliveries, one.path->totals().deliveries);
  EXPECT_EQ(two.a.totals().dropped, one.path->totals().dropped);
  EXPECT_EQ(two.a.busy(), one.path->parts().medium.busy(0));
  for (std::uint32_t robot = 0; robot < kTunnelRobots; ++robot) {
    const auto at_one = sent_by(one, robot);
    EXPECT_GT(at_one.size(), 25U);
    if (robot < 2) {
      EXPECT_TRUE(two.a.delivered(robot) == at_one) << "robot " << robot;
    } else {  // due, and not yet released
      EXPECT_EQ(lengths(two.a.delivered(robot)), lengths(at_one)) << "robot " << robot;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Access, TunnelRequestsTest,
                         testing::Values(MediumAccess::kDcf, MediumAccess::kOverlappingDcf, MediumAccess::kAloha,
                                         MediumAccess::kTdma, MediumAccess::kRoundRobin));

TEST(TunnelRequests, WithoutTheOtherEachDecidesForItself) {
  TwoGateways two(hall(MediumAccess::kDcf));
  two.clock.advance(600ms);
  two.b.beacon();
  EXPECT_TRUE(two.b.deciders().decided_here(0).load());
  two.b.arrive(2, udp_frame(3, 4, 100));
  two.b.arrive(2, udp_frame(3, 1, 100));
  two.run(10ms);
  EXPECT_EQ(two.b.tunnel().requests_out, 0U);
  EXPECT_EQ(two.b.totals().deliveries, 2U);
  EXPECT_EQ(two.b.delivered(3).size(), 1U);
  EXPECT_EQ(two.b.delivered(0).size(), 1U) << "the tunnel drops it as unreachable_gateway";
}

TEST(TunnelRequests, RequestsForALostGatewayAreDroppedOnce) {
  TwoGateways two(hall(MediumAccess::kDcf));
  two.b.arrive(2, udp_frame(3, 1, 100));
  Bytes group = udp_frame(4, 1, 100);
  std::fill_n(group.begin(), 6, std::byte{0xff});
  two.b.arrive(3, group);
  two.b.iterate();
  two.b.peers().judge(two.clock.now() + 600ms);
  two.b.send();
  EXPECT_EQ(two.b.dropped(DropReason::kUnreachableGateway), 2U);
  EXPECT_EQ(two.b.tunnel().deliveries, 2U);
}

TEST(TunnelRequests, RequestsForItselfReturnToTheCore) {
  TwoGateways two(hall(MediumAccess::kDcf));
  two.b.arrive(2, udp_frame(3, 4, 100));
  two.b.iterate();
  two.b.deciders().see(0, false, std::nullopt, kZero + 2h);
  two.b.deciders().choose(kZero + 2h);
  two.run(10ms);
  EXPECT_EQ(two.b.tunnel().deliveries, 0U);
  EXPECT_EQ(two.b.delivered(3).size(), 1U);
}

TEST(TunnelRequests, FramesForANetworkSimulatorAreParkedWhereItIs) {
  TwoGateways two(judged());
  two.a.verdicts().open.store(true);
  two.a.deciders().appoint(0);
  two.b.deciders().appoint(0);
  const HostTime captured = two.clock.now();
  two.b.arrive(2, udp_frame(3, 4, 100));  // both at the other gateway
  two.iterate();
  two.a.arrive(0, udp_frame(1, 3, 200));
  two.iterate();
  EXPECT_EQ(two.b.totals().deliveries, 0U) << "it is counted where it is decided";
  EXPECT_EQ(two.a.totals().deliveries, 2U);
  EXPECT_EQ(two.a.totals().held, 2U);
  ParkedPacket parked;
  ASSERT_TRUE(two.a.verdicts().parked.pop(parked));
  EXPECT_EQ(parked.from, RobotSlot{2});
  EXPECT_EQ(parked.to, OptionalIndex<RobotSlot>(RobotSlot{3}));
  EXPECT_EQ(parked.arrived, captured) << "when the other gateway captured it";
  ASSERT_TRUE(two.a.verdicts().orders.push(
      {.packet = parked.id, .due = captured + 5ms, .to = RobotSlot{3}, .what = ParkedOrder::What::kDeliver}));
  ASSERT_TRUE(two.a.verdicts().orders.push({.packet = parked.id, .what = ParkedOrder::What::kForget}));
  ASSERT_TRUE(two.a.verdicts().parked.pop(parked));
  EXPECT_EQ(parked.from, RobotSlot{0});
  ASSERT_TRUE(two.a.verdicts().orders.push({.packet = parked.id, .what = ParkedOrder::What::kForget}));
  two.iterate();
  ASSERT_EQ(two.a.delivered(3).size(), 1U);
  EXPECT_EQ(two.a.delivered(3)[0].first, captured + 5ms);
  EXPECT_EQ(two.a.totals().held, 0U);
  EXPECT_EQ(two.a.totals().dropped[static_cast<std::size_t>(DropReason::kVerdictMissing)], 1U);
}

TEST(TunnelRequests, WithoutANetworkSimulatorAnywhereFramesAreDroppedAtTheirGateway) {
  TwoGateways two(judged());
  two.b.verdicts().open.store(true);
  two.b.arrive(2, udp_frame(3, 4, 100));
  two.b.arrive(2, udp_frame(3, 1, 100));
  two.iterate();
  EXPECT_EQ(two.b.dropped(DropReason::kVerdictMissing), 2U);
  EXPECT_EQ(two.b.tunnel().deliveries, 2U);
  EXPECT_EQ(two.b.tunnel().requests_out, 0U);
  ParkedPacket parked;
  EXPECT_FALSE(two.b.verdicts().parked.pop(parked));
}

TEST(TunnelRequests, AFullRingDropsAndCounts) {
  TwoGateways two(hall(MediumAccess::kDcf), 8);
  for (int i = 0; i < 12; ++i) {
    two.b.arrive(2, udp_frame(3, 1, 100));
    two.b.iterate();
    two.b.send();
  }
  two.a.receive();
  EXPECT_EQ(two.a.tunnel().requests_in, 12U);
  EXPECT_EQ(two.a.dropped(DropReason::kCrossingFull), 4U);
  EXPECT_EQ(two.a.tunnel().deliveries, 4U);
}

}  // namespace hilgate::test
