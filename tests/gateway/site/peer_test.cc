// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/peer.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "gateway/site/tunnel_peers.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kWall{Nanoseconds{1'795'510'000'000'000'000}};
constexpr HostTime kHost{Nanoseconds{5'000'000'000}};
constexpr std::uint64_t kEpoch = 1'795'500'000'000'000'000;

Peer::Moment at(Nanoseconds after) {
  return {kHost + after, kWall + after};
}

SiteTerms terms() {
  return {.site = "hall",
          .gateways = {{"a", 0xC0000201, 6081}, {"b", 0xC0000202, 6081}},
          .own = 0,
          .digest = 42,
          .version = "1.0",
          .clock_within = 1ms,
          .silent_after = 500ms,
          .zero_within = 500us,
          .gateway_of = {0, 1, 1}};
}

SitePacket beacon(std::uint64_t sequence, std::uint64_t epoch = kEpoch) {
  return {.kind = SitePacket::Kind::kBeacon,
          .gateway = 1,
          .digest = 42,
          .epoch = epoch,
          .sequence = sequence,
          .sent = kWall,
          .instant = kWall - 10s};
}

BeaconWords words(Nanoseconds offset, std::string_view version = "1.0") {
  // Ours left 200 us ago and took 100 us; its answer took as long.
  BeaconWords said{.echo_sent = kWall - 200us, .echo_heard = kWall - 100us + offset, .version = {}};
  said.set_version(version);
  return said;
}

// What the peer is when it has said this, a moment later.
PeerState state_of(SitePacket packet, const BeaconWords& said, Nanoseconds offset = 0ns) {
  Peer peer;
  packet.sent = kWall - 100us + offset;
  EXPECT_FALSE(peer.hear(packet, at(0s)));
  peer.take_words(packet, said, at(0s));
  peer.judge(kHost + 1ms, terms(), {.digests = {42, 42}, .version = "1.0", .zero = kWall - 10s});
  return peer.report.state;
}

}  // namespace

TEST(ReplayWindowTest, TakesEachNumberOnceAndNoneThatIsTooOld) {
  ReplayWindow window;
  EXPECT_FALSE(window.take(0));
  EXPECT_TRUE(window.take(1));
  EXPECT_FALSE(window.take(1));
  EXPECT_TRUE(window.take(70));
  EXPECT_FALSE(window.take(6));  // 64 behind
  EXPECT_TRUE(window.take(7));
  EXPECT_FALSE(window.take(7));
  EXPECT_EQ(window.missing(1), 67U);
  EXPECT_TRUE(window.take(~std::uint64_t{0}));
  EXPECT_FALSE(window.take(70));
}

// A pair with little delay both ways is rare where the delay varies: the ways are compared, each with its least delay.
TEST(ClockComparisonTest, IsExactThoughDelaysVaryByMilliseconds) {
  ClockComparison clock;
  std::minstd_rand random(1);
  const auto delay = [&] { return 500us + Nanoseconds{static_cast<std::int64_t>(random() % 2'800'000)}; };
  for (int i = 0; i < 100'000; ++i) {
    const WallTime sent = kWall + i * 100ms;
    const WallTime there = sent + 5ms + delay();
    clock.add(sent, there, there + 50ms, there + 50ms - 5ms + delay());
    if (i >= 16) {
      ASSERT_LT(std::chrono::abs(*clock.offset() - 5ms), 950us) << i;
    }
  }
}

TEST(ClockComparisonTest, UsesTheLeastDelayOfEachWay) {
  ClockComparison clock;
  EXPECT_FALSE(clock.offset());
  clock.add(kWall, kWall + 5ms + 9ms, kWall + 5ms + 9ms, kWall + 10ms);  // the way there took long
  clock.add(kWall, kWall + 5ms + 50us, kWall + 5ms + 60us, kWall + 110us);
  EXPECT_EQ(clock.offset(), 5ms);
  clock.add(kWall, kWall + 1h, kWall, kWall + 1s);  // back before it came
  EXPECT_EQ(clock.offset(), 5ms);
}

TEST(ClockComparisonTest, AStepCountsAtOnce) {
  ClockComparison clock;
  for (int i = 0; i < 20; ++i) {
    clock.add(kWall, kWall + 50us, kWall + 60us, kWall + 110us);
  }
  clock.add(kWall, kWall + 40ms, kWall + 40ms, kWall + 80ms + 900us);  // on its way for so long that it says little
  EXPECT_EQ(clock.offset(), 0ns);
  clock.add(kWall, kWall - 3s + 60us, kWall - 3s + 70us, kWall + 120us);  // it has gone back by 3 s
  EXPECT_EQ(clock.offset(), -3s + 5us);
  clock.add(kWall + 1s, kWall + 1s + 50us, kWall + 1s + 60us, kWall + 1s + 110us);
  EXPECT_EQ(clock.offset(), 0ns);
}

TEST(PeerTest, IsPresentWhenAllAgrees) {
  EXPECT_EQ(state_of(beacon(1), words(0ns)), PeerState::kHere);
}

TEST(PeerTest, DifferencesAreNamed) {
  SitePacket other = beacon(1);
  other.digest = 43;
  EXPECT_EQ(state_of(other, words(0ns)), PeerState::kOtherConfiguration);
  EXPECT_EQ(state_of(beacon(1), words(0ns, "1.1")), PeerState::kOtherVersion);
  EXPECT_EQ(state_of(beacon(1), words(2ms), 2ms), PeerState::kClockApart);
  EXPECT_EQ(state_of(beacon(1), words(900us), 900us), PeerState::kHere);
  SitePacket alone = beacon(1);
  alone.instant = kWall - 10s + 600us;
  EXPECT_EQ(state_of(alone, words(0ns)), PeerState::kOtherZero);
  SitePacket young = beacon(1);
  young.instant = WallTime{};
  EXPECT_EQ(state_of(young, words(0ns)), PeerState::kBeginning);
}

TEST(PeerTest, IsMissingAfterSilenceAndBackWithItsNextBeacon) {
  Peer peer;
  const Peer::Own own{.digests = {42, 42}, .version = "1.0", .zero = kWall - 10s};
  peer.judge(kHost, terms(), own);
  EXPECT_EQ(peer.report.state, PeerState::kAwaited);
  SitePacket packet = beacon(1);
  packet.sent = kWall - 100us;
  ASSERT_FALSE(peer.hear(packet, at(0s)));
  peer.take_words(packet, words(0ns), at(0s));
  peer.judge(kHost + 500ms, terms(), own);
  EXPECT_EQ(peer.report.state, PeerState::kHere);
  peer.judge(kHost + 500ms + 1ns, terms(), own);
  EXPECT_EQ(peer.report.state, PeerState::kMissing);
  packet.sequence = 2;
  ASSERT_FALSE(peer.hear(packet, at(1s)));
  peer.judge(kHost + 1s, terms(), own);
  EXPECT_EQ(peer.report.state, PeerState::kHere);
}

TEST(PeerTest, ReplaysAndBeaconsOfEarlierRunsAreRefused) {
  Peer peer;
  EXPECT_FALSE(peer.hear(beacon(5), at(0s)));
  EXPECT_EQ(peer.hear(beacon(5), at(1ms)), SiteRefusal::kReplay);
  EXPECT_EQ(peer.hear(beacon(6, kEpoch - 1), at(1ms)), SiteRefusal::kEpoch);
  SitePacket frame = beacon(1, kEpoch + 1);
  frame.kind = SitePacket::Kind::kFrame;
  EXPECT_EQ(peer.hear(frame, at(1ms)), SiteRefusal::kEpoch);  // a life begins with a beacon
  EXPECT_FALSE(peer.hear(beacon(1, kEpoch + 1), at(1ms)));
  EXPECT_FALSE(peer.hear(beacon(2, kEpoch + 1), at(1ms)));
}

TEST(PeerTest, BeaconOfAFutureStartIsRefused) {
  const auto epoch_after = [](Nanoseconds span) {
    return static_cast<std::uint64_t>((kWall + span).time_since_epoch().count());
  };
  Peer peer;
  EXPECT_FALSE(peer.hear(beacon(1), at(0s)));
  EXPECT_EQ(peer.hear(beacon(1, epoch_after(1h + 1ns)), at(0s)), SiteRefusal::kEpoch);
  EXPECT_EQ(peer.hear(beacon(1, std::uint64_t{1} << 61), at(0s)), SiteRefusal::kEpoch);
  EXPECT_EQ(peer.hear(beacon(1, ~std::uint64_t{0}), at(0s)), SiteRefusal::kEpoch);
  EXPECT_FALSE(peer.hear(beacon(2), at(0s)));
}

TEST(PeerTest, ForgedBeaconsAreIgnoredUntilThePeerIsMissing) {
  for (const SitePacket& forged : {beacon(~std::uint64_t{0}), beacon(7, kEpoch + 1'000'000'000)}) {
    Peer peer;
    EXPECT_FALSE(peer.hear(beacon(1), at(0s)));
    EXPECT_FALSE(peer.hear(forged, at(1ms)));
    EXPECT_TRUE(peer.hear(beacon(2), at(100ms)));
    peer.judge(kHost + 502ms, terms(), {.digests = {42, 42}, .version = "1.0", .zero = kWall - 10s});
    ASSERT_EQ(peer.report.state, PeerState::kMissing);
    SitePacket frame = beacon(3);
    frame.kind = SitePacket::Kind::kFrame;
    EXPECT_TRUE(peer.hear(frame, at(510ms)));
    EXPECT_FALSE(peer.hear(beacon(4), at(520ms)));
    EXPECT_EQ(peer.report.lost, 0U);
    peer.judge(kHost + 520ms, terms(), {.digests = {42, 42}, .version = "1.0", .zero = kWall - 10s});
    EXPECT_FALSE(peer.hear(beacon(5), at(530ms)));
    EXPECT_EQ(peer.hear(beacon(5), at(530ms)), SiteRefusal::kReplay);
  }
}

TEST(PeerTest, ZeroMeansAbsent) {
  Peer peer;
  EXPECT_EQ(peer.hear(beacon(0), at(0s)), SiteRefusal::kEpoch);
  EXPECT_TRUE(peer.hear(beacon(1, 0), at(0s))) << "nor is such a beginning";
  EXPECT_FALSE(peer.hear(beacon(1), at(0s)));
}

TEST(TunnelPeersTest, ShortPacketsChangeNothing) {
  TunnelPeers peers(terms(), kEpoch);
  peers.set_zero(kWall - 10s);
  const auto take = [&](SitePacket packet, std::size_t payload) {
    std::vector<std::byte> bytes(kSiteHeader + std::max(payload, BeaconWords::kBytes));
    words(0ns).write(std::span(bytes).subspan<kSiteHeader, BeaconWords::kBytes>());
    packet.sent = kWall - 100us;
    write_site_header(packet, site_network("hall"), std::span(bytes).first<kSiteHeader>());
    const auto before = peers.refused()[static_cast<std::size_t>(SiteRefusal::kMalformed)];
    const bool taken =
        peers.take({0xC0000202, 6081, std::span(bytes).first(kSiteHeader + payload)}, at(0s)).has_value();
    return std::pair(taken, peers.refused()[static_cast<std::size_t>(SiteRefusal::kMalformed)] - before);
  };
  EXPECT_EQ(take(beacon(9, kEpoch + 1), BeaconWords::kBytes - 1), std::pair(false, std::uint64_t{1}));
  EXPECT_EQ(take(beacon(1), BeaconWords::kBytes), std::pair(false, std::uint64_t{0})) << "that was no life of it";
  peers.peer(1).judge(kHost, terms(), {.digests = {42, 42}, .version = "1.0", .zero = kWall - 10s});
  ASSERT_TRUE(peers.peer(1).is_here());
  SitePacket frame = beacon(2);
  frame.kind = SitePacket::Kind::kFrame;
  frame.sender = 1;
  EXPECT_EQ(take(frame, 0), std::pair(false, std::uint64_t{1}));
  EXPECT_EQ(take(frame, 13), std::pair(false, std::uint64_t{1}));
  EXPECT_EQ(take(frame, 14), std::pair(true, std::uint64_t{0})) << "its number was not used up";
}

TEST(TunnelPeersTest, TakesFramesOfGatewaysAloneAndBetweenTheirRobots) {
  TunnelPeers peers(terms(), kEpoch);
  const auto refusal_of = [&](SitePacket packet, std::uint32_t ipv4 = 0xC0000202, std::uint16_t port = 6081) {
    std::vector<std::byte> bytes(kSiteHeader + BeaconWords::kBytes);
    write_site_header(packet, site_network("hall"), std::span(bytes).first<kSiteHeader>());
    const auto before = peers.refused();
    EXPECT_FALSE(peers.take({.ipv4 = ipv4, .port = port, .bytes = bytes}, at(0s)));
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (peers.refused()[i] > before[i]) {
        return name(static_cast<SiteRefusal>(i));
      }
    }
    return std::string_view("none");
  };
  SitePacket frame = beacon(1);
  frame.kind = SitePacket::Kind::kFrame;
  frame.sender = 2;
  frame.receiver = 0;
  EXPECT_EQ(refusal_of(frame, 0xC0000203), "source");
  EXPECT_EQ(refusal_of(frame, 0xC0000202, 6082), "source");
  EXPECT_EQ(refusal_of(frame), "epoch");  // nobody has said yet that there is such a gateway
  EXPECT_EQ(refusal_of(beacon(1)), "none");
  frame.sequence = 2;
  EXPECT_EQ(refusal_of(frame), "state");  // it is beginning, for us
  SitePacket own = frame;
  own.gateway = 0;
  EXPECT_EQ(refusal_of(own), "source");
  SitePacket nobody = frame;
  nobody.receiver = 3;
  EXPECT_EQ(refusal_of(nobody), "robot");
  SitePacket others = frame;
  others.receiver = 1;
  EXPECT_EQ(refusal_of(others), "robot");
  SitePacket digest = frame;
  digest.digest = 1;
  EXPECT_EQ(refusal_of(digest), "digest");
  EXPECT_EQ(refusal_of(frame), "replay");
}

// Robots 0 to 2 have one medium, with one each at the gateways; robots 3 to 5 have none that is shared, likewise.
class SharedMediumTest : public testing::Test {
 protected:
  static SiteTerms shared_terms() {
    SiteTerms shared = terms();
    shared.gateways.push_back({"c", 0xC0000203, 6081});
    shared.gateway_of = {0, 1, 2, 0, 1, 2};
    shared.media = {.media = {{"hall", {0, 1, 2}}}, .of_robot = {0, 0, 0, SharedMedia::kNone, SharedMedia::kNone}};
    return shared;
  }

  SharedMediumTest() : peers_(shared_terms(), kEpoch) {
    peers_.set_zero(kWall - 10s);
    EXPECT_EQ(refusal_of(beacon(1)), "none");
    peers_.judge(kHost);
    EXPECT_TRUE(peers_.peer(1).is_here());
  }

  SitePacket request(std::uint16_t sender, std::uint16_t receiver) {
    SitePacket packet = beacon(++sequence_);
    packet.kind = SitePacket::Kind::kRequest;
    packet.instant = packet.sent - 200us;
    packet.sender = sender;
    packet.receiver = receiver;
    return packet;
  }
  // "taken", "none" for what is heard and has no frame.
  std::string_view refusal_of(SitePacket packet, std::size_t payload = BeaconWords::kBytes) {
    std::vector<std::byte> bytes(kSiteHeader + std::max(payload, BeaconWords::kBytes));
    words(0ns).write(std::span(bytes).subspan<kSiteHeader, BeaconWords::kBytes>());
    const Nanoseconds before_sent = packet.sent - packet.instant;
    packet.sent = kWall - 100us;
    packet.instant = packet.has_frame() ? packet.sent - before_sent : packet.instant;
    write_site_header(packet, site_network("hall"), std::span(bytes).first<kSiteHeader>());
    const auto before = peers_.refused();
    const std::span<const std::byte> sent = std::span(bytes).first(kSiteHeader + payload);
    if (peers_.take({.ipv4 = 0xC0000202, .port = 6081, .bytes = sent}, at(0s))) {
      return "taken";
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (peers_.refused()[i] > before[i]) {
        return name(static_cast<SiteRefusal>(i));
      }
    }
    return "none";
  }

  TunnelPeers peers_;
  std::uint64_t sequence_ = 1;
};

TEST_F(SharedMediumTest, RequestsAreTakenOfItsStationsAtTheGatewayThatSends) {
  EXPECT_EQ(refusal_of(request(1, 0)), "taken");
  EXPECT_EQ(refusal_of(request(1, 2)), "taken") << "for a robot of a third gateway";
  EXPECT_EQ(refusal_of(request(1, 4)), "taken") << "or one of its own, by no radio";
  EXPECT_EQ(refusal_of(request(4, 0)), "robot") << "its frames are decided where it is";
  EXPECT_EQ(refusal_of(request(2, 0)), "robot") << "of a third gateway";
  EXPECT_EQ(refusal_of(request(0, 1)), "robot") << "of ours";
  EXPECT_EQ(refusal_of(request(1, 1)), "robot");
  EXPECT_EQ(refusal_of(request(1, 6)), "robot");
  EXPECT_EQ(refusal_of(request(65535, 0)), "robot");
  SitePacket all = request(1, 6);
  all.all = true;
  EXPECT_EQ(refusal_of(all), "taken") << "nobody is named";
}

TEST_F(SharedMediumTest, RequestsAreOfAMomentBeforeTheyWereSent) {
  SitePacket packet = request(1, 0);
  packet.instant = packet.sent;
  EXPECT_EQ(refusal_of(packet), "taken");
  packet = request(1, 0);
  packet.instant = packet.sent + 1ns;
  EXPECT_EQ(refusal_of(packet), "instant");
  packet = request(1, 0);
  packet.instant = packet.sent - 1s - 1ns;
  EXPECT_EQ(refusal_of(packet), "instant");
}

TEST_F(SharedMediumTest, RequestsAreCheckedAsFramesAre) {
  const SitePacket once = request(1, 0);
  EXPECT_EQ(refusal_of(once), "taken");
  EXPECT_EQ(refusal_of(once), "replay");
  SitePacket packet = request(1, 0);
  packet.digest = 41;
  EXPECT_EQ(refusal_of(packet), "digest");
  packet = request(1, 0);
  packet.epoch = kEpoch - 1;
  EXPECT_EQ(refusal_of(packet), "epoch");
  EXPECT_EQ(refusal_of(request(1, 0), 13), "malformed");
  peers_.judge(kHost + 501ms);
  EXPECT_EQ(refusal_of(request(1, 0)), "state");
}

TEST_F(SharedMediumTest, DeliveriesAreTakenOfWhoeverMayHaveDecidedThem) {
  SitePacket delivery = request(2, 0);
  delivery.kind = SitePacket::Kind::kFrame;
  EXPECT_EQ(refusal_of(delivery), "taken") << "of robot 2, decided by gateway 1";
  delivery = request(0, 3);
  delivery.kind = SitePacket::Kind::kFrame;
  EXPECT_EQ(refusal_of(delivery), "taken") << "of our own robot";
  delivery = request(5, 0);
  delivery.kind = SitePacket::Kind::kFrame;
  EXPECT_EQ(refusal_of(delivery), "robot") << "that is none of its media";
}

TEST_F(SharedMediumTest, BeaconsCarryTheWindowOfDecision) {
  EXPECT_FALSE(peers_.peer(1).decides_from());
  peers_.set_deciding(kWall + 1s, 300us);
  const auto bytes = peers_.beacon(1, at(0s));
  const auto said = BeaconWords::parse(bytes.subspan(peers_.header_bytes()));
  ASSERT_TRUE(said);
  EXPECT_EQ(said->decides_from, kWall + 1s);
  EXPECT_EQ(said->request_way, 300us);
  Peer peer;
  peer.take_words(beacon(1), *said, at(0s));
  EXPECT_EQ(peer.decides_from(), kWall + 1s);
  EXPECT_EQ(peer.report.request_way, 300us);
}

}  // namespace hilgate::test
