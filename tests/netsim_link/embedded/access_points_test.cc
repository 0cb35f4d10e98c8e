// SPDX-License-Identifier: Apache-2.0
// The embedded radios with access points: who is what, which media there are, what the table says.
#include "netsim_link/embedded/access_points.h"

#include <gtest/gtest.h>

#include "netsim_link/embedded/embedded_netsim.h"
#include "physics_link/trajectory/trajectory_physics.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using State = Attachment::State;
using Profile = std::shared_ptr<const RadioProfile>;

Profile access_library(const char* name) {
  return std::make_shared<const RadioProfile>(
      load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + std::string(name) + ".yaml"));
}

Profile access_wifi() {
  static const Profile kProfile = [] {
    RadioProfile profile = *access_library("wifi_11n_2g4_adhoc");
    profile.channel.shadowing = {};
    return std::make_shared<const RadioProfile>(profile);
  }();
  return kProfile;
}

AccessPoint at(double x, double y, const char* channel) {
  return {.robot = std::nullopt, .position = {x, y, 3}, .radio = access_wifi(), .channel = channel};
}

// Numbers of three robots and two access points.
constexpr std::uint32_t kRover = 0, kWest = 3, kEast = 4;
const RobotIndex kServer{1}, kBase{2};

/// A rover that walks at 10 m/s, a server on the cable, a base that is the eastern access point.
struct Field {
  explicit Field(std::vector<Obstacle> obstacles = {}) : physics(tracks(), obstacles) {
    network.access_points = {at(0, 0, "1"), {.robot = kBase, .position = {}, .radio = access_wifi(), .channel = "6"}};
    network.wired = {kServer};
    network.obstacles = std::move(obstacles);
    netsim.emplace(std::vector<Profile>{access_wifi(), nullptr, access_wifi()},
                   std::vector<Material>{builtin_material("building").value()}, 1, nullptr, network);
  }
  static std::vector<Track> tracks() {
    return {{{SimTime{}, {5, 0, 1}}, {SimTime{10s}, {105, 0, 1}}}, {Waypoint{}}, {{SimTime{}, {100, 0, 3}}}};
  }
  const LinkTable& run_to(Nanoseconds end) {
    for (; now <= SimTime{end}; now += 10ms) {
      Scene scene;
      physics.scene_at(now, scene);
      netsim->link_states(scene, table);
    }
    return table;
  }
  const LinkState& link(std::uint32_t from, std::uint32_t to) const {
    return table.links[link_of(RobotIndex{from}, RobotIndex{to}, 5).value()];
  }

  TrajectoryPhysics physics;
  AccessNetwork network;
  std::optional<EmbeddedNetsim> netsim;
  LinkTable table;
  SimTime now{};
};

TEST(AccessPoints, EverybodyHasARoleAndEveryChannelAMedium) {
  Field field;
  const AirPlan& plan = field.netsim->air_plan();
  EXPECT_EQ(plan.roles, (std::vector{AirRole::kStation, AirRole::kWired, AirRole::kWired, AirRole::kAccessPoint,
                                     AirRole::kAccessPoint}));
  ASSERT_EQ(plan.domains.size(), 2u);
  ASSERT_EQ(plan.stations.size(), 5u);
  EXPECT_FALSE(plan.stations[kServer.value()]);
  EXPECT_FALSE(plan.stations[kBase.value()]) << "its access point has the radio";
  EXPECT_NE(plan.stations[kWest]->domain, plan.stations[kEast]->domain);
  EXPECT_EQ(plan.rules[link_of(RobotIndex{kRover}, RobotIndex{kWest}, 5).value()].policy, ErrorPolicy::kArq);
  EXPECT_EQ(plan.rules[link_of(RobotIndex{kRover}, kServer, 5).value()].policy, ErrorPolicy::kFcsDrop);
}

TEST(AccessPoints, OneChannelIsOneMedium) {
  AccessNetwork network;
  network.access_points = {at(0, 0, "1"), at(100, 0, "1")};
  EXPECT_EQ(EmbeddedNetsim({access_wifi()}, {}, 1, nullptr, network).air_plan().domains.size(), 1u);
}

TEST(AccessPoints, ARadioOfAnotherDomainIsNoStation) {
  AccessNetwork network;
  network.access_points = {at(0, 0, "1")};
  EmbeddedNetsim netsim({access_library("xbee_802154"), access_wifi()}, {}, 1, nullptr, network);
  EXPECT_EQ(netsim.air_plan().roles, (std::vector{AirRole::kNone, AirRole::kStation, AirRole::kAccessPoint}));
}

TEST(AccessPoints, WalkingStationRoamsToTheOther) {
  Field field;
  const LinkTable& table = field.run_to(0s);
  EXPECT_EQ(table.attachments[kRover], (Attachment{State::kAttached, RobotIndex{kWest}}));
  EXPECT_EQ(table.attachments[kServer.value()], (Attachment{.state = State::kAttached}));
  EXPECT_EQ(table.attachments[kBase.value()], (Attachment{State::kAttached, RobotIndex{kEast}}));
  field.run_to(10s);
  EXPECT_EQ(table.attachments[kRover], (Attachment{State::kAttached, RobotIndex{kEast}}));
}

TEST(AccessPoints, BetweenRobotsOfTheNetworkIsNoRadio) {
  Field field;
  field.run_to(9s);
  EXPECT_TRUE(field.link(kRover, kServer.value()).reachable);
  EXPECT_EQ(field.link(kRover, kServer.value()).unicast.per_bit, 0);
  EXPECT_GT(field.link(kRover, kWest).delay, 0ns);
  EXPECT_EQ(field.link(kRover, kBase.value()).delay, 0ns);
}

TEST(AccessPoints, ARobotsAccessPointIsWhereTheRobotIs) {
  Field field;
  field.run_to(9500ms);  // the rover stands at the base's
  EXPECT_GT(field.link(kEast, kRover).rssi_dbm, field.link(kWest, kRover).rssi_dbm + 20);
}

TEST(AccessPoints, WallsStandBetweenFixedOnesAndRobots) {
  Field open;
  Field walled({{{{2, -50, 0}, {4, 50, 30}}, 0, std::nullopt}});
  open.run_to(0s);
  walled.run_to(0s);
  EXPECT_LT(walled.link(kWest, kRover).rssi_dbm, open.link(kWest, kRover).rssi_dbm - 5);
  EXPECT_FALSE(walled.link(kWest, kRover).line_of_sight);
}

TEST(AccessPoints, ScheduledRadiosHaveTheirBaseStationAlready) {
  AccessNetwork network;
  network.access_points = {
      {.robot = std::nullopt, .position = {}, .radio = access_library("lte_cat4"), .channel = "1"}};
  EXPECT_THROW(EmbeddedNetsim({access_library("lte_cat4")}, {}, 1, nullptr, network), std::runtime_error);
}

}  // namespace
}  // namespace hilgate::test
