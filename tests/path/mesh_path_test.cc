// SPDX-License-Identifier: Apache-2.0
// Frames over a mesh: how often they are on the air, by which stations, and what becomes of them when routes change.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Five stations in a line, of which each reaches its neighbours alone.
constexpr std::uint32_t kStations = 5;
constexpr std::uint32_t kEnd = 0, kMiddle = 2, kFarEnd = 4;

PathSettings mesh_line(std::uint32_t hop_limit = 31) {
  PathSettings settings = plain_settings(kStations);
  settings.hold_frames = 20'000;
  settings.air.domains = {AirDomain{.access = MediumAccess::kOverlappingDcf, .carrier_sense_dbm = -82}};
  settings.air.domains.front().mesh = MeshForwarding{.hop_limit = hop_limit};
  for (LinkRules& rules : settings.air.rules) {
    rules.policy = ErrorPolicy::kArq;
  }
  for (auto& station : settings.air.stations) {
    station = Station{0, 200};
  }
  return settings;
}

class StationLine : public GatewayRig {
 public:
  explicit StationLine(const PathSettings& path_settings = mesh_line()) : GatewayRig(path_settings, 16'384, 2048) {
    connect();
  }

  /// Neighbours reach one another but for those of `gone`; all others reach one another over them.
  void connect(std::uint32_t gone = kStations) {
    LinkTable& table = newest_feed().back();
    auto routes = std::make_shared<MeshRoutes>();
    routes->ends = kStations;
    routes->next.resize(kStations * kStations);
    for (std::uint32_t from = 0; from < kStations; ++from) {
      for (std::uint32_t to = 0; to < kStations; ++to) {
        const bool next_to = from + 1 == to || to + 1 == from;
        table.links[from * kStations + to] = next_to && from != gone && to != gone
                                                 ? LinkState{.delay = 1us, .rssi_dbm = -70, .snr_db = 25}
                                                 : kSilentLink;
        const bool cut = gone < kStations && (std::min(from, to) <= gone && std::max(from, to) >= gone);
        if (from != to && !cut) {
          routes->next[from * kStations + to] = RobotIndex{to > from ? from + 1 : from - 1};
        }
      }
    }
    publish(std::move(routes));
  }
  /// The first two stations send everything for the last to one another.
  void loop() {
    auto routes = std::make_shared<MeshRoutes>(*newest_feed().front().routes);
    routes->next[0 * kStations + kFarEnd] = RobotIndex{1};
    routes->next[1 * kStations + kFarEnd] = RobotIndex{0};
    newest_feed().back().links = newest_feed().front().links;
    publish(std::move(routes));
  }
  void send(std::uint32_t from, std::uint32_t to, int frames = 1, std::size_t bytes = 1472) {
    for (int i = 0; i < frames; ++i) {
      arrive(from, udp_frame(from + 1, to + 1, bytes, static_cast<std::uint64_t>(++sent_frames)));
    }
  }
  void send_to_all(std::uint32_t from) {
    arrive(from, ip_frame({.destination = kBroadcast, .source = mac_of(from + 1), .tags = {}},
                          {.source = ipv4_of(from + 1).text(), .destination = "10.0.0.255"}, 17, udp(payload(100))));
  }
  [[nodiscard]] Nanoseconds busy() const { return path->parts().medium.busy(0); }
  void expect_all_accounted() const {
    EXPECT_TRUE(path->totals().balanced());
    EXPECT_EQ(path->totals().held, 0U);
  }

  int sent_frames = 0;

 private:
  void publish(std::shared_ptr<const MeshRoutes> routes) {
    newest_feed().back().routes = std::move(routes);
    newest_feed().publish();
    iterate();
  }
};

TEST(MeshPath, EachHopTakesTheAirAndTheForwardingTime) {
  StationLine mesh;
  mesh.send(kEnd, 1);
  mesh.run(5ms, 1us);
  const Nanoseconds one_hop = mesh.busy();
  mesh.send(kEnd, kFarEnd);
  mesh.run(20ms, 1us);
  ASSERT_EQ(mesh.sent(kFarEnd).size(), 1U);
  EXPECT_EQ(mesh.busy(), 5 * one_hop);
  const Nanoseconds taken = mesh.sent(kFarEnd).front().at - mesh.sent(kFarEnd).front().arrived;
  EXPECT_GE(taken, 4 * (one_hop - ht_mcs7().ack) + 3 * 300us);
  EXPECT_LE(taken, 4 * one_hop + 3 * 400us + 4 * 200us);  // DIFS and backoff of each
  mesh.expect_all_accounted();
}

TEST(MeshPath, AGroupIsSentOnceByEachStationAndReceivedOnceByEachOther) {
  StationLine mesh;
  mesh.send_to_all(kMiddle);
  mesh.run(20ms, 1us);
  for (std::uint32_t station = 0; station < kStations; ++station) {
    EXPECT_EQ(mesh.sent(station).size(), station == kMiddle ? 0U : 1U) << station;
  }
  const Nanoseconds flooded = mesh.busy();
  const PhyMode mode = ht_mcs7();
  EXPECT_EQ(flooded % mode.air_time(100 + 42), 0ns);
  EXPECT_EQ(flooded / mode.air_time(100 + 42), kStations);
  mesh.expect_all_accounted();
}

TEST(MeshPath, AGroupStopsAtTheHopLimit) {
  StationLine mesh(mesh_line(2));
  mesh.send_to_all(kEnd);
  mesh.run(20ms, 1us);
  EXPECT_EQ(mesh.sent(1).size(), 1U);
  EXPECT_EQ(mesh.sent(2).size(), 1U);
  EXPECT_EQ(mesh.sent(3).size(), 0U);
  EXPECT_EQ(mesh.dropped(DropReason::kNoRoute), 2U);
  mesh.expect_all_accounted();
}

TEST(MeshPath, WithoutARouteFramesAreDroppedAndReachTheirPart) {
  StationLine mesh;
  mesh.connect(kMiddle);
  mesh.send(kEnd, kFarEnd, 3);
  mesh.send(kEnd, 1, 2);
  mesh.send_to_all(kEnd);
  mesh.run(20ms, 1us);
  EXPECT_EQ(mesh.sent(1).size(), 3U);
  EXPECT_EQ(mesh.dropped(DropReason::kNoRoute), 3U + 3U);
  mesh.expect_all_accounted();
}

TEST(MeshPath, ARoutingLoopEndsAtTheHopLimit) {
  StationLine mesh(mesh_line(7));
  mesh.loop();
  mesh.send(kEnd, kFarEnd);
  mesh.run(50ms, 1us);
  EXPECT_EQ(mesh.sent(kFarEnd).size(), 0U);
  EXPECT_EQ(mesh.dropped(DropReason::kHopLimit), 1U);
  mesh.expect_all_accounted();
}

TEST(MeshPath, FramesTakeTheRoutesThatTheyFindAtEachStation) {
  StationLine mesh;
  mesh.send(kEnd, kFarEnd, 20);
  mesh.run(12ms, 10us);
  const std::size_t before = mesh.sent(kFarEnd).size();
  EXPECT_GT(before, 0U);
  EXPECT_LT(before, 20U);
  mesh.connect(kMiddle);
  mesh.run(200ms, 10us);
  EXPECT_EQ(mesh.sent(kFarEnd).size() + mesh.dropped(DropReason::kNoRoute) + mesh.dropped(DropReason::kUnreachable),
            20U);
  EXPECT_GT(mesh.dropped(DropReason::kNoRoute), 0U);
  mesh.expect_all_accounted();
}

TEST(MeshPath, ARelayThatLeavesTakesItsFramesWithIt) {
  StationLine mesh;
  mesh.send(kEnd, kFarEnd, 20);
  mesh.run(12ms, 10us);
  const std::size_t before = mesh.sent(kFarEnd).size();
  PathSettings without = mesh_line();
  without.robots[kMiddle].present = false;
  without.air.stations[kMiddle].reset();
  mesh.change(without);
  mesh.connect(kMiddle);
  mesh.run(200ms, 10us);
  EXPECT_GT(mesh.dropped(DropReason::kRelayGone), 0U);
  EXPECT_LT(mesh.sent(kFarEnd).size(), 20U);
  EXPECT_GE(mesh.sent(kFarEnd).size(), before);
  mesh.expect_all_accounted();
}

TEST(MeshPath, AFullQueueOfARelayDropsByName) {
  PathSettings settings = mesh_line();
  for (auto& station : settings.air.stations) {
    station->queue_frames = 4;
  }
  StationLine mesh(settings);
  for (int i = 0; i < 200; ++i) {
    mesh.send(kEnd, kFarEnd);
    mesh.send(kFarEnd, kEnd);
    mesh.send_to_all(1);
    mesh.run(1ms, 20us);
  }
  mesh.run(100ms, 20us);
  EXPECT_GT(mesh.dropped(DropReason::kQueueFull), 100U);
  EXPECT_GT(mesh.sent(kFarEnd).size(), 10U);
  mesh.expect_all_accounted();
}

TEST(MeshPath, FramesThatAreOnTheirWayAreDroppedAtTheEnd) {
  StationLine mesh;
  mesh.send(kEnd, kFarEnd, 50);
  mesh.send_to_all(kMiddle);
  mesh.run(3ms, 10us);
  mesh.path->drain();
  EXPECT_GT(mesh.dropped(DropReason::kShutdown), 0U);
  EXPECT_TRUE(mesh.path->totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
