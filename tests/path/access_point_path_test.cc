// SPDX-License-Identifier: Apache-2.0
// Frames over access points: how often they are on the air, where they wait, what becomes of them while stations roam.
#include <gtest/gtest.h>

#include <set>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using State = Attachment::State;

// Three robots with radios, one on the cable; two access points behind them.
constexpr std::uint32_t kRed = 0, kBlue = 1, kGreen = 2, kServer = 3, kWest = 4, kEast = 5;
constexpr std::uint32_t kRobots = 4, kEnds = 6;
constexpr Attachment kAtWest{State::kAttached, RobotIndex{kWest}}, kAtEast{State::kAttached, RobotIndex{kEast}};
constexpr Attachment kRoaming{.state = State::kRoaming}, kNowhere{.state = State::kNone};

PathSettings ad_hoc() {
  PathSettings settings = plain_settings(kEnds);
  settings.hold_frames = 20'000;
  settings.air.domains = {AirDomain{}, AirDomain{}};
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = ErrorPolicy::kArq;
  }
  for (const std::uint32_t radio : {kRed, kBlue, kGreen}) {
    settings.air.stations[radio] = Station{0, 200};
  }
  for (const std::uint32_t place : {kWest, kEast}) {
    settings.robots[place] = {.port = PortSlot{0}, .macs = {}, .ips = {}, .present = false};
  }
  return settings;
}

PathSettings with_access_points(Nanoseconds delay = 0ns) {
  PathSettings settings = ad_hoc();
  settings.air.roles = {AirRole::kStation, AirRole::kStation,     AirRole::kStation,
                        AirRole::kWired,   AirRole::kAccessPoint, AirRole::kAccessPoint};
  settings.air.distribution_delay = delay;
  settings.air.stations[kWest] = Station{0, 200};
  settings.air.stations[kEast] = Station{1, 200};
  return settings;
}

std::vector<Attachment> attachments(Attachment red, Attachment blue, Attachment green) {
  return {red, blue, green, {.state = State::kAttached}, {}, {}};
}

class Network : public GatewayRig {
 public:
  explicit Network(const PathSettings& path_settings = with_access_points(), double ber = 0)
      : GatewayRig(path_settings, 16'384, 2048) {
    state_.unicast = state_.multicast = hazard_of(ber);
    place(kAtWest, kAtWest, kAtEast);
  }
  void place(Attachment red, Attachment blue, Attachment green) {
    LinkTable& table = newest_feed().back();
    table.attachments = attachments(red, blue, green);
    for (std::uint32_t link = 0; link < table.links.size(); ++link) {
      // Between robots of a network there is no radio.
      const bool cable = !settings.air.roles.empty() && std::max(link / kEnds, link % kEnds) < kWest;
      table.links[link] = cable ? LinkState{} : state_;
    }
    newest_feed().publish();
    iterate();
  }
  /// Frames all at once.
  void send(std::uint32_t from, std::uint32_t to, int frames, std::size_t bytes = 1472) {
    for (int i = 0; i < frames; ++i) {
      arrive(from, udp_frame(from + 1, to + 1, bytes, static_cast<std::uint64_t>(++sent_frames)));
    }
  }
  void send_to_all(std::uint32_t from) {
    arrive(from, ip_frame({.destination = kBroadcast, .source = mac_of(from + 1), .tags = {}},
                          {.source = ipv4_of(from + 1).text(), .destination = "10.0.0.255"}, 17, udp(payload(100))));
  }
  /// Frames that come through in 400 ms while the sender's queue never runs dry.
  std::size_t through(std::uint32_t from, std::uint32_t to) {
    for (int i = 0; i < 100; ++i) {
      send(from, to, 20);
      run(4ms, 50us);
    }
    return sent(to).size();
  }
  void expect_all_accounted() const {
    EXPECT_TRUE(path->totals().balanced());
    EXPECT_EQ(path->totals().held, 0U);
  }

  int sent_frames = 0;

 private:
  LinkState state_{.delay = 1us, .rssi_dbm = -60, .snr_db = 30};
};

TEST(AccessPointPath, TwoHopsHalveTheThroughputOfOne) {
  const auto direct = static_cast<double>(Network(ad_hoc()).through(kRed, kBlue));
  const auto over_one = static_cast<double>(Network().through(kRed, kBlue));
  EXPECT_GT(direct, 1000);
  EXPECT_NEAR(over_one / direct, 0.5, 0.05);
}

TEST(AccessPointPath, ACableAtTheFarEndSavesTheSecondHop) {
  const auto direct = static_cast<double>(Network(ad_hoc()).through(kRed, kBlue));
  EXPECT_NEAR(static_cast<double>(Network().through(kRed, kServer)) / direct, 1, 0.02);
  EXPECT_NEAR(static_cast<double>(Network().through(kServer, kRed)) / direct, 1, 0.02);
}

TEST(AccessPointPath, HopsOnTwoChannelsDoNotShareTheAir) {
  const auto direct = static_cast<double>(Network(ad_hoc()).through(kRed, kBlue));
  EXPECT_NEAR(static_cast<double>(Network().through(kRed, kGreen)) / direct, 1, 0.05);
}

TEST(AccessPointPath, TheCableTakesItsTime) {
  for (const Nanoseconds delay : {Nanoseconds{0}, Nanoseconds{5ms}}) {
    Network network(with_access_points(delay));
    network.send(kRed, kServer, 1);
    network.send(kBlue, kGreen, 1);
    network.run(20ms, 1us);
    for (const std::uint32_t to : {kServer, kGreen}) {
      ASSERT_EQ(network.sent(to).size(), 1U);
      const Sent& out = network.sent(to).front();
      EXPECT_GE(out.at - out.arrived, delay + 200us);
      EXPECT_LE(out.at - out.arrived, delay + 1500us);
    }
    network.expect_all_accounted();
  }
}

TEST(AccessPointPath, AGroupIsSentUpOnceAndByEveryAccessPoint) {
  Network network;
  const auto busy = [&](std::uint32_t domain) { return network.path->parts().medium.busy(domain); };
  network.send_to_all(kRed);
  network.run(10ms, 1us);
  for (const std::uint32_t to : {kBlue, kGreen, kServer}) {
    EXPECT_EQ(network.sent(to).size(), 1U) << to;
  }
  EXPECT_EQ(network.sent(kRed).size(), 0U);
  // Up with an acknowledgement and down without in the west, down alone in the east.
  EXPECT_EQ(busy(0), 2 * busy(1) + ht_mcs7().ack);
  network.expect_all_accounted();
}

TEST(AccessPointPath, RoamingStationIsUnreachableAndItsFramesWait) {
  Network network;
  network.place(kRoaming, kAtWest, kAtEast);
  network.send(kRed, kServer, 20);
  network.run(50ms, 10us);
  EXPECT_EQ(network.sent(kServer).size(), 0U);
  EXPECT_EQ(network.path->totals().held, 20U);
  network.place(kAtEast, kAtWest, kAtEast);
  network.run(20ms, 10us);
  EXPECT_EQ(network.sent(kServer).size(), 20U);
  EXPECT_EQ(network.path->parts().medium.busy(0), 0ns) << "sent by the new access point";
  network.expect_all_accounted();
}

TEST(AccessPointPath, FramesOfTheOldAccessPointMoveToTheNewInOrder) {
  Network network;
  network.ports[kServer]->keep_bytes = true;
  network.send(kRed, kServer, 100);
  network.run(5ms, 10us);
  network.place(kRoaming, kAtWest, kAtEast);
  network.run(500us, 10us);  // the last frame may be on the air
  const std::size_t before = network.sent(kServer).size();
  EXPECT_GT(before, 5U);
  EXPECT_LT(before, 60U);
  network.run(200ms, 100us);
  EXPECT_EQ(network.sent(kServer).size(), before) << "something was delivered during the break";
  network.place(kAtEast, kAtWest, kAtEast);
  network.run(100ms, 10us);
  ASSERT_EQ(network.sent(kServer).size(), 100U);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(network.sent(kServer)[static_cast<std::size_t>(i)].bytes,
              udp_frame(kRed + 1, kServer + 1, 1472, static_cast<std::uint64_t>(i + 1)))
        << i;
  }
  network.expect_all_accounted();
}

TEST(AccessPointPath, FramesForARoamingStationAreDropped) {
  Network network;
  network.send(kServer, kRed, 100);
  network.run(5ms, 10us);
  network.place(kRoaming, kAtWest, kAtEast);
  network.run(1ms, 10us);
  const std::size_t before = network.sent(kRed).size();
  EXPECT_GT(before, 5U);
  network.send(kBlue, kRed, 10);
  network.run(50ms, 10us);
  EXPECT_EQ(network.sent(kRed).size(), before);
  EXPECT_EQ(network.dropped(DropReason::kNotAssociated), 110 - before);
  network.place(kAtEast, kAtWest, kAtEast);
  network.send(kServer, kRed, 10);
  network.run(50ms, 10us);
  EXPECT_EQ(network.sent(kRed).size(), before + 10);
  network.expect_all_accounted();
}

TEST(AccessPointPath, WithoutAnAccessPointNothingIsSent) {
  Network network;
  network.place(kRoaming, kAtWest, kAtEast);
  network.send(kRed, kServer, 5);
  network.iterate();
  network.place(kNowhere, kAtWest, kAtEast);
  network.send(kRed, kBlue, 5);
  network.send_to_all(kRed);
  network.run(5ms, 10us);
  EXPECT_EQ(network.dropped(DropReason::kNotAssociated), 5U + 5U + 3U);
  EXPECT_EQ(network.path->totals().released, 0U);
  network.expect_all_accounted();
}

TEST(AccessPointPath, AQueueThatIsFullWhileRoamingDropsTheNewest) {
  Network network;
  network.place(kRoaming, kAtWest, kAtEast);
  network.send(kRed, kServer, 250);
  network.run(5ms, 10us);
  EXPECT_EQ(network.dropped(DropReason::kQueueFull), 50U);
  EXPECT_EQ(network.path->totals().held, 200U);
}

TEST(AccessPointPath, EveryHopLosesOnItsOwn) {
  // A frame of 1514 bytes is lost on each of two hops with a probability of 11.5 %, and sent once.
  PathSettings settings = with_access_points();
  for (LinkRules& rules : settings.air.rules) {
    rules.tries = 1;
  }
  Network network(settings, 1e-5);
  for (int i = 0; i < 4000; ++i) {
    network.send(kRed, kBlue, 1);
    network.run(1ms, 100us);
  }
  network.run(10ms, 10us);
  EXPECT_NEAR(static_cast<double>(network.sent(kBlue).size()) / 4000, 0.885 * 0.885, 0.03);
  EXPECT_EQ(network.sent(kBlue).size() + network.dropped(DropReason::kLostOnAir), 4000U);
  network.expect_all_accounted();
}

TEST(AccessPointPath, ConfiguredImpairmentsFollowTheLastHop) {
  PathSettings settings = with_access_points();
  const LinkSlot link = link_of(RobotSlot{kRed}, RobotSlot{kBlue}, kEnds);
  settings.air.rules[link.value()].extra_delay = 30ms;
  settings.air.rules[link.value()].impairments = independent_loss(0.5);
  Network network(settings);
  network.send(kRed, kBlue, 200);
  network.run(200ms, 10us);
  EXPECT_EQ(network.sent(kBlue).size() + network.dropped(DropReason::kConfiguredLoss), 200U);
  EXPECT_NEAR(static_cast<double>(network.sent(kBlue).size()), 100, 30);
  EXPECT_GE(network.sent(kBlue).front().at - network.sent(kBlue).front().arrived, 30ms);
  network.expect_all_accounted();
}

// Frames change between media and cable in the order of time, not of turns.
TEST(AccessPointPath, TurnsOfAnyLengthGiveTheSame) {
  const auto play = [](MediumAccess access, Nanoseconds step) {
    PathSettings settings = with_access_points(50us);
    settings.air.domains[1].access = access;
    settings.air.domains[1].carrier_sense_dbm = -82;
    Network network(settings, 1e-5);
    for (int i = 0; i < 40; ++i) {
      for (std::uint32_t from = 0; from < kRobots; ++from) {
        network.send(from, (from + 1 + static_cast<std::uint32_t>(i) % 3) % kRobots, 1 + i % 3);
      }
      network.send_to_all(static_cast<std::uint32_t>(i) % kRobots);
      network.run(4ms, step);
    }
    network.run(100ms, step);
    network.expect_all_accounted();
    std::vector<std::vector<std::uint64_t>> out;
    for (std::uint32_t to = 0; to < kRobots; ++to) {
      out.emplace_back();
      for (const Sent& one : network.sent(to)) {
        out.back().push_back(one.digest);
      }
    }
    return out;
  };
  for (const MediumAccess access :
       {MediumAccess::kDcf, MediumAccess::kOverlappingDcf, MediumAccess::kRoundRobin, MediumAccess::kScheduled}) {
    SCOPED_TRACE(static_cast<int>(access));
    const auto fine = play(access, 2us);
    EXPECT_EQ(fine, play(access, 20us));
    EXPECT_EQ(fine, play(access, 1ms));
  }
}

TEST(AccessPointPath, ChangeOfConfigurationKeepsFramesInFlight) {
  Network network(with_access_points(2ms));
  network.place(kRoaming, kAtWest, kAtEast);
  network.send(kRed, kServer, 10);   // wait at the station
  network.send(kServer, kBlue, 10);  // on the cable
  network.iterate();
  network.change(with_access_points(2ms), attachments(kAtEast, kAtWest, kAtEast));
  network.run(50ms, 10us);
  EXPECT_EQ(network.sent(kServer).size(), 10U);
  EXPECT_EQ(network.sent(kBlue).size(), 10U);
  network.expect_all_accounted();
}

}  // namespace
}  // namespace hilgate::test
