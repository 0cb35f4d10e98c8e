// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <limits>

#include "tests/physics_link/mavlink/mavlink_vehicles.h"

namespace hilgate::mavlink {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(MavlinkVehicles, StayOnTheirTracksUntilTheirFirstPosition) {
  start(settings());
  expect_at(kRed, {50, 0, 10}, SimTime{5s});
  EXPECT_FALSE(vehicles->heard(kRed));
  vehicles->take(kRed, {1}, LocalPosition{{1, 2, 3}}, at(0s));
  EXPECT_TRUE(vehicles->heard(kRed));
  expect_at(kRed, {1, 2, 13}, SimTime{6s});
  expect_at(kBlue, {20, 0, 0}, SimTime{6s});
}

TEST_F(MavlinkVehicles, WithoutAnOriginTheFirstIsWhereItsTrackHasIt) {
  start(settings());
  where(kRed, SimTime{5s});
  vehicles->take(kRed, {1}, global(0), at(0s));
  vehicles->take(kBlue, {2}, global(30, 5), at(0s));
  expect_at(kRed, {50, 0, 10}, SimTime{6s});
  expect_at(kBlue, {50, 30, 15}, SimTime{6s});
}

TEST_F(MavlinkVehicles, AConfiguredOriginIsTheFramesOwn) {
  auto with = settings();
  with.origin = kHome;
  start(with);
  vehicles->take(kBlue, {2}, global(40, 7), at(0s));
  expect_at(kBlue, {0, 40, 7});
}

TEST_F(MavlinkVehicles, LocalFramesAreRelativeToTheirOrigin) {
  auto with = settings();
  with.origin = kHome;
  start(with);
  vehicles->take(kBlue, {2}, GlobalOrigin{global(100).at}, at(0s));
  vehicles->take(kBlue, {2}, LocalPosition{{1, 2, 3}}, at(0s));
  expect_at(kBlue, {1, 102, 3});
  vehicles->take(kRed, {1}, HomePosition{.at = global(100).at, .enu = {5, 0, 0}}, at(0s));
  vehicles->take(kRed, {1}, Odometry{Vec3{5, 0, 2}}, at(0s));
  expect_at(kRed, {0, 100, 2});
}

TEST_F(MavlinkVehicles, TheFirstLocalOriginLaysTheWorlds) {
  start(settings());
  vehicles->take(kBlue, {2}, GlobalOrigin{kHome}, at(0s));
  vehicles->take(kBlue, {2}, global(10), at(0s));
  expect_at(kBlue, {20, 10, 0});
  vehicles->take(kRed, {1}, global(0), at(0s));
  expect_at(kRed, {20, 0, 0});
}

TEST_F(MavlinkVehicles, WorseMessagesCountOnlyWhenBetterOnesStay) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{1, 0, 0}}, at(1s));
  vehicles->take(kRed, {1}, Odometry{Vec3{2, 0, 0}}, at(2s));
  expect_at(kRed, {1, 0, 10});
  vehicles->take(kRed, {1}, Odometry{Vec3{3, 0, 0}}, at(4s));
  expect_at(kRed, {3, 0, 10});
}

TEST_F(MavlinkVehicles, NonsenseIsRefusedAndCounted) {
  start(settings());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  vehicles->take(kRed, {1}, LocalPosition{{nan, 0, 0}}, at(0s));
  vehicles->take(kRed, {1}, Odometry{Vec3{0, std::numeric_limits<double>::infinity(), 0}}, at(0s));
  vehicles->take(kRed, {1}, GlobalPosition{{91, 0, 0}, true}, at(0s));
  vehicles->take(kRed, {1}, HomePosition{.at = kHome, .enu = {nan, 0, 0}}, at(0s));
  vehicles->take(kRed, {1}, GlobalPosition{}, at(0s));
  EXPECT_EQ(vehicles->counts(kRed).no_numbers, 4U);
  EXPECT_EQ(vehicles->counts(kRed).no_fix, 1U);
  EXPECT_EQ(vehicles->counts(kRed).positions, 0U);
  expect_at(kRed, {0, 0, 10});
  EXPECT_THAT(told, IsEmpty());
}

TEST_F(MavlinkVehicles, JumpsAreAllowedReportedAndCounted) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}}, at(1s));
  vehicles->take(kRed, {1}, LocalPosition{{9, 0, 0}}, at(1s + 1ms));  // within a message's jitter
  EXPECT_THAT(told, IsEmpty());
  vehicles->take(kRed, {1}, LocalPosition{{500, 0, 0}}, at(2s));
  EXPECT_EQ(vehicles->counts(kRed).jumps, 1U);
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red jumped from (9.0, 0.0, 10.0) m to (500.0, 0.0, 10.0) m")));
  expect_at(kRed, {500, 0, 10});
}

TEST_F(MavlinkVehicles, OnlyTheRobotsOwnSystemMovesIt) {
  auto with = settings();
  with.system_ids = {std::uint8_t{7}, std::nullopt};
  start(with);
  vehicles->take(kRed, {1}, LocalPosition{{50, 0, 0}}, at(0s));
  expect_at(kRed, {0, 0, 10});
  vehicles->take(kRed, {7}, LocalPosition{{5, 0, 0}}, at(0s));
  expect_at(kRed, {5, 0, 10});
  vehicles->take(kBlue, {3}, LocalPosition{{1, 0, 0}}, at(0s));
  vehicles->take(kBlue, {4}, LocalPosition{{2, 0, 0}}, at(0s));
  expect_at(kBlue, {21, 0, 0});
  EXPECT_EQ(vehicles->counts(kRed).other_system, 1U);
  EXPECT_EQ(vehicles->counts(kBlue).other_system, 1U);
}

TEST_F(MavlinkVehicles, ContinueFromTheirStateAfterAChange) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{5, 0, 0}}, at(0s));
  Vehicles next(settings());
  next.take_over(*vehicles);
  Scene scene;
  next.scene_at(SimTime{1s}, scene);
  EXPECT_EQ(scene.robots[0].position, (Vec3{5, 0, 10}));
}

TEST_F(MavlinkVehicles, WallsStandBetweenWhereTheyAre) {
  auto with = settings();
  with.obstacles = {{.box = {{40, -5, -5}, {50, 5, 50}}, .material = 0, .wall_m = std::nullopt}};
  start(with);
  Scene scene;
  vehicles->scene_at(SimTime{}, scene);
  EXPECT_TRUE(scene.between(kRed, kBlue).line_of_sight);
  vehicles->take(kBlue, {2}, LocalPosition{{60, 0, 10}}, at(0s));
  vehicles->scene_at(SimTime{}, scene);
  EXPECT_FALSE(scene.between(kRed, kBlue).line_of_sight);
}

TEST(MavlinkGeodetic, MetresAgreeWithTheEllipsoid) {
  // One arc second of latitude and longitude at 45 degrees: 30.87 m and 21.93 m (WGS 84 radii of curvature).
  const Geodetic origin{45, 7, 100};
  const Vec3 north = enu_of({45 + 1 / 3600.0, 7, 100}, origin);
  const Vec3 east = enu_of({45, 7 + 1 / 3600.0, 100}, origin);
  EXPECT_NEAR(north.y, 30.87, 0.005);
  EXPECT_NEAR(north.x, 0, 1e-6);
  EXPECT_NEAR(east.x, 21.90, 0.05);
  EXPECT_NEAR(enu_of({45, 7, 130}, origin).z, 30, 1e-6);
}

TEST_F(MavlinkVehicles, APlaceOutsideTheWorldIsRefused) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{1, 0, 0}}, at(1s));
  for (const double far : {1.1e8, 1e20, -1e20}) {
    vehicles->take(kRed, {1}, LocalPosition{{far, 0, 0}}, at(2s));
    vehicles->take(kRed, {1}, Odometry{Vec3{0, 0, far}}, at(5s));
    vehicles->take(kRed, {1}, HomePosition{.at = kHome, .enu = {0, far, 0}}, at(5s));
  }
  EXPECT_EQ(vehicles->counts(kRed).no_numbers, 9U);
  EXPECT_EQ(vehicles->counts(kRed).positions, 1U);
  expect_at(kRed, {1, 0, 10});
}

TEST_F(MavlinkVehicles, RefusedJumpsLeaveThemWhereTheyWereUntilTheyCanHaveMoved) {
  auto with = settings();
  with.jumps = JumpPolicy::kRefuse;
  start(with);
  vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}}, at(1s));
  vehicles->take(kRed, {1}, LocalPosition{{500, 0, 0}}, at(2s));
  expect_at(kRed, {0, 0, 10});
  EXPECT_EQ(vehicles->counts(kRed).jumps, 1U);
  EXPECT_THAT(told, ElementsAre(HasSubstr("500.0, 0.0, 10.0) m, refused")));
  vehicles->take(kRed, {1}, LocalPosition{{1, 0, 0}}, at(3s));
  expect_at(kRed, {1, 0, 10});
  vehicles->take(kRed, {1}, LocalPosition{{500, 0, 0}}, at(7s));  // 125 m/s
  expect_at(kRed, {500, 0, 10});
}

TEST_F(MavlinkVehicles, VehicleThatSetsTheOriginIsReported) {
  start(settings());
  vehicles->take(kBlue, {2}, global(10), at(0s));
  EXPECT_THAT(told, ElementsAre(HasSubstr("of robot blue, lays the origin for all robots")));
}

// A vehicle at a satellite's link says no more than this, every 5 to 67 s.
TEST_F(MavlinkVehicles, HighLatencyPlacesAVehicleWithoutOtherPositions) {
  VehicleSettings with = settings();
  with.origin = kHome;
  start(with);
  const auto rare = [](double north_m) {
    return HighLatency{.at = {kHome.lat_deg + north_m * kMetreNorth, kHome.lon_deg, kHome.alt_m}, .fix = true};
  };
  vehicles->take(kRed, {1}, HighLatency{}, at(1s));
  EXPECT_EQ(vehicles->counts(kRed).no_fix, 1U);
  vehicles->take(kRed, {1}, rare(40), at(2s));
  expect_at(kRed, {0, 40, 0});
  vehicles->take(kRed, {1}, rare(80), at(69s));
  expect_at(kRed, {0, 80, 0});
  EXPECT_EQ(vehicles->standing(kRed, SimTime{200s}).state, Standing::State::kHeard) << "it is not silent between two";
  EXPECT_EQ(vehicles->standing(kRed, SimTime{300s}).state, Standing::State::kSilent);
  EXPECT_EQ(vehicles->standing(kRed, SimTime{300s}).clock_rate, std::nullopt) << "its time may be of the world";
}

TEST_F(MavlinkVehicles, HighLatencyIsUsedWithoutBetterMessages) {
  VehicleSettings with = settings();
  with.origin = kHome;
  start(with);
  vehicles->take(kRed, {1}, global(10), at(1s));
  vehicles->take(kRed, {1}, HighLatency{.at = global(50).at, .fix = true}, at(2s));
  expect_at(kRed, {0, 10, 0});
  vehicles->take(kRed, {1}, HighLatency{.at = global(50).at, .fix = true}, at(4s));
  expect_at(kRed, {0, 50, 0});
  vehicles->take(kRed, {1}, global(51), at(5s));
  EXPECT_EQ(vehicles->standing(kRed, SimTime{10s}).state, Standing::State::kSilent) << "as one that says more";
}

// As `hilgate set robots.red.system_id=7` does.
TEST_F(MavlinkVehicles, AnotherSystemPlacesARobotFromNowOn) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{5, 0, 0}}, at(1s));
  expect_at(kRed, {5, 0, 10});
  vehicles->place_by({7, std::nullopt}, {std::nullopt, std::nullopt});
  expect_at(kRed, {0, 0, 10});  // on its track
  vehicles->take(kRed, {1}, LocalPosition{{6, 0, 0}}, at(2s));
  expect_at(kRed, {0, 0, 10});
  EXPECT_EQ(vehicles->counts(kRed).other_system, 1U);
  vehicles->watch(SimTime{6s});
  EXPECT_THAT(told, IsEmpty());
  vehicles->watch(SimTime{8s});
  vehicles->watch(SimTime{9s});
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red is placed by system 7 (`system_id`), which sends no position; "
                                          "system 1 does")));
  vehicles->take(kRed, {7}, LocalPosition{{8, 0, 0}}, at(10s));
  expect_at(kRed, {8, 0, 10});
  vehicles->place_by({7, std::nullopt}, {std::nullopt, std::nullopt});
  expect_at(kRed, {8, 0, 10});  // the same again
  vehicles->place_by({std::nullopt, std::nullopt}, {std::nullopt, std::nullopt});
  vehicles->take(kRed, {7}, LocalPosition{{9, 0, 0}}, at(11s));
  expect_at(kRed, {9, 0, 10});
}

TEST_F(MavlinkVehicles, ASystemThatIsAnothersFromNowOnPlacesThatOne) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{5, 0, 0}}, at(1s));
  vehicles->place_by({std::nullopt, 1}, {std::nullopt, kRed});
  expect_at(kRed, {0, 0, 10});
  vehicles->take(kRed, {1}, LocalPosition{{6, 0, 0}}, at(2s));
  expect_at(kRed, {0, 0, 10});
  expect_at(kBlue, {26, 0, 0});
}

}  // namespace
}  // namespace hilgate::mavlink
