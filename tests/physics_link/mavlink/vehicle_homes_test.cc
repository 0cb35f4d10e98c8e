// SPDX-License-Identifier: Apache-2.0
// Whose positions place a robot, and what is said of one that has none.
#include <gmock/gmock.h>

#include "tests/physics_link/mavlink/mavlink_vehicles.h"

namespace hilgate::mavlink {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// ---- bodies with several radios ----

TEST_F(MavlinkVehicles, RadiosOfOneBodyAreOneVehicle) {
  auto with = settings();
  with.bodies = {kRed, kRed};
  start(with);
  vehicles->take(kBlue, {1}, LocalPosition{{1, 0, 0}}, at(1s));
  Scene scene;
  vehicles->scene_at(SimTime{1s}, scene);
  EXPECT_EQ(scene.robots[0].position, scene.robots[1].position);
  EXPECT_TRUE(vehicles->heard(kRed));
  vehicles->take(kRed, {1}, LocalPosition{{2, 0, 0}}, at(2s));
  EXPECT_EQ(vehicles->counts(kRed).positions, 2U) << "whichever radio carries them";
  EXPECT_THAT(told, IsEmpty());
}

// ---- silence ----

TEST_F(MavlinkVehicles, SilentVehicleAgesAndIsReportedOnce) {
  start(settings());
  EXPECT_EQ(vehicles->standing(kRed, SimTime{9s}).state, Standing::State::kNotHeard);
  vehicles->take(kRed, {1}, LocalPosition{{3, 0, 0}}, at(10s));
  vehicles->watch(SimTime{11s});
  EXPECT_THAT(told, IsEmpty());
  for (const auto now : {14s, 16s, 20s, 30s}) {
    vehicles->watch(SimTime{now});
  }
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red has sent no position for 5 s; it stays at (3.0, 0.0, 10.0) m")));
  EXPECT_EQ(vehicles->standing(kRed, SimTime{30s}).state, Standing::State::kSilent);
  EXPECT_EQ(vehicles->standing(kRed, SimTime{30s}).age, 20s);
  expect_at(kRed, {3, 0, 10});
  vehicles->take(kRed, {1}, LocalPosition{{4, 0, 0}}, at(31s));
  vehicles->watch(SimTime{31s});
  vehicles->watch(SimTime{32s});
  EXPECT_EQ(told.size(), 2U);
  EXPECT_THAT(told.back(), HasSubstr("robot red sends its position again: (4.0, 0.0, 10.0) m"));
}

TEST_F(MavlinkVehicles, WithoutAFixTheyStayAndReportIt) {
  start(settings());
  vehicles->take(kRed, {1}, GlobalPosition{}, at(1s));
  vehicles->watch(SimTime{1s});
  EXPECT_EQ(vehicles->standing(kRed, SimTime{1s}).state, Standing::State::kNoFix);
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red's autopilot has no position fix; it stays on its track")));
  vehicles->take(kRed, {1}, global(0), at(2s));
  EXPECT_EQ(vehicles->standing(kRed, SimTime{2s}).state, Standing::State::kHeard);
  // Lost in flight: at first the last place is fresh enough.
  for (int second = 3; second < 12; ++second) {
    vehicles->take(kRed, {1}, GlobalPosition{}, at(std::chrono::seconds(second)));
  }
  EXPECT_EQ(vehicles->standing(kRed, SimTime{11s}).state, Standing::State::kNoFix);
  EXPECT_EQ(vehicles->standing(kRed, SimTime{11s}).age, 9s);
}

TEST_F(MavlinkVehicles, AnAutopilotThatStartsAgainInFlightStaysWhereItIsUntilItKnows) {
  auto with = settings();
  with.origin = kHome;
  start(with);
  vehicles->take(kBlue, {2}, GlobalOrigin{global(100).at}, at(1s));
  vehicles->take(kBlue, {2}, LocalPosition{{1, 2, 3}, 60s}, at(2s));
  expect_at(kBlue, {1, 102, 3});
  vehicles->take(kBlue, {2}, LocalPosition{{0, 0, 0}, 500ms}, at(3s));
  expect_at(kBlue, {1, 102, 3});
  EXPECT_EQ(vehicles->counts(kBlue).restarts, 1U);
  EXPECT_THAT(told, ElementsAre(HasSubstr("the autopilot of robot blue has started again, 0.5 s ago")));
  vehicles->take(kBlue, {2}, GlobalOrigin{global(104).at}, at(4s));
  vehicles->take(kBlue, {2}, LocalPosition{{0, 0, 1}, 1500ms}, at(5s));
  expect_at(kBlue, {0, 104, 1});
  vehicles->take(kBlue, {2}, LocalPosition{{0, 1, 1}, 1400ms}, at(5s));
  EXPECT_EQ(vehicles->counts(kBlue).restarts, 1U) << "out of order is no restart";
}

// ArduPilot's simulator with --speedup 5.
TEST_F(MavlinkVehicles, ForeignClockIsReportedOnce) {
  start(settings());
  for (int second = 0; second <= 12; ++second) {
    vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}, 5s * second}, {HostTime{1s * second}, SimTime{5s * second}});
    vehicles->watch(SimTime{5s * second}, 5.2);
  }
  EXPECT_THAT(told, IsEmpty());
  EXPECT_NEAR(vehicles->standing(kRed, SimTime{12s}).clock_rate.value_or(0), 5, 1e-9);
  vehicles->watch(SimTime{12s});
  EXPECT_THAT(told, IsEmpty()) << "lockstep";
  vehicles->watch(SimTime{12s}, 1.0);
  vehicles->watch(SimTime{13s}, 1.0);
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red's autopilot runs at 5.00 of real time and the run at 1.00")));
  EXPECT_THAT(told.back(), HasSubstr("`dilate: 500 %`"));
}

// A vehicle at a serial line of half the rate that it needs: what it says waits longer and longer, until the buffer is
// full and as much is lost as comes.
TEST_F(MavlinkVehicles, AQueueThatGrowsIsNoSlowClock) {
  for (const Nanoseconds buffer : {Nanoseconds{1s}, Nanoseconds{5s}, Nanoseconds{120s}}) {
    start(settings());
    for (Nanoseconds now{0}; now < 300s; now += 100ms) {
      const Nanoseconds said = std::max(now / 2, now - buffer);
      vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}, said}, {HostTime{now}, SimTime{now}, true});
      vehicles->watch(SimTime{now}, 1.0);
    }
    EXPECT_THAT(told, IsEmpty()) << buffer.count();
  }
}

TEST_F(MavlinkVehicles, FastClockIsDetectedAfterAQueue) {
  start(settings());
  for (Nanoseconds now{0}; now < 70s; now += 100ms) {
    vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}, 5 * now}, {HostTime{now}, SimTime{now}, true});
    vehicles->watch(SimTime{now}, 1.0);
  }
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red's autopilot runs at 5.00 of real time and the run at 1.00")));
}

TEST_F(MavlinkVehicles, FarIsMeasuredByThePaceOfTheRun) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}}, {HostTime{1s}, SimTime{10s}});
  vehicles->take(kRed, {1}, LocalPosition{{200, 0, 0}}, {HostTime{2s}, SimTime{20s}});  // 20 m/s of its own
  EXPECT_EQ(vehicles->counts(kRed).jumps, 0U);
  vehicles->take(kRed, {1}, LocalPosition{{400, 0, 0}}, {HostTime{62s}, SimTime{21s}});  // 200 m/s of its own
  EXPECT_EQ(vehicles->counts(kRed).jumps, 1U);
}

// A vehicle that sends a position a second of its own is silent after 5 s of its own, however long the host waits.
TEST_F(MavlinkVehicles, SilenceIsByTheTimeOfTheRun) {
  start(settings());
  for (int second = 1; second <= 5; ++second) {  // at a tenth of real time
    vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}}, {HostTime{10s * second}, SimTime{1s * second}});
    EXPECT_EQ(vehicles->standing(kRed, SimTime{1s * second + 900ms}).state, Standing::State::kHeard);
  }
  EXPECT_EQ(vehicles->standing(kRed, SimTime{9s}).state, Standing::State::kHeard);
  EXPECT_EQ(vehicles->standing(kRed, SimTime{10s}).state, Standing::State::kSilent);
  EXPECT_EQ(vehicles->standing(kRed, SimTime{10s}).age, 5s);
}

// Of ODOMETRY and LOCAL_POSITION_NED the latter counts for 2 s of the vehicle's time.
TEST_F(MavlinkVehicles, ABetterMessageLastsByTheTimeOfTheRun) {
  start(settings());
  vehicles->take(kRed, {1}, LocalPosition{{1, 0, 0}}, {HostTime{1s}, SimTime{1s}});
  vehicles->take(kRed, {1}, Odometry{Vec3{3, 0, 0}}, {HostTime{9s}, SimTime{2s}});
  expect_at(kRed, {1, 0, 10});
  vehicles->take(kRed, {1}, Odometry{Vec3{3, 0, 0}}, {HostTime{9s}, SimTime{4s}});
  expect_at(kRed, {3, 0, 10});
}

// ---- whose positions ----

TEST_F(MavlinkVehicles, AForwarderIsNotWhereItsVehicleIs) {
  start(settings());
  vehicles->take(kRed, {.system = 1, .mark = 77}, LocalPosition{{500, 0, 0}}, at(1s));
  vehicles->take(kBlue, {.system = 1, .mark = 77}, LocalPosition{{500, 0, 0}}, at(1s + 4ms));
  expect_at(kRed, {500, 0, 10});
  expect_at(kBlue, {20, 0, 0});
  EXPECT_EQ(vehicles->counts(kBlue).other_system, 1U);
}

TEST_F(MavlinkVehicles, ForwarderReceivedFirstIsIdentified) {
  start(settings());
  vehicles->take(kBlue, {.system = 1, .mark = 76}, LocalPosition{{500, 0, 0}}, at(1s));  // the run begins
  vehicles->take(kRed, {.system = 1, .mark = 77}, LocalPosition{{501, 0, 0}}, at(2s));
  vehicles->take(kBlue, {.system = 1, .mark = 77}, LocalPosition{{501, 0, 0}}, at(2s + 4ms));
  expect_at(kBlue, {20, 0, 0});
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot blue passes on what system 1 says, and is not placed by it")));
  vehicles->take(kRed, {.system = 1, .mark = 78}, LocalPosition{{502, 0, 0}}, at(3s));
  expect_at(kRed, {502, 0, 10});
}

TEST_F(MavlinkVehicles, ARobotWithAGroundStationIsPlacedByAConfiguredSystemAlone) {
  const Heartbeat ground{.type = Heartbeat::kGroundStation, .autopilot = 8};
  start(settings());
  vehicles->take(kBlue, {.system = 1, .mark = 1}, LocalPosition{{500, 0, 0}}, at(1s));
  vehicles->take(kBlue, {.system = 255, .mark = 2}, ground, at(2s));
  expect_at(kBlue, {20, 0, 0});
  vehicles->take(kBlue, {.system = 1, .mark = 3}, LocalPosition{{500, 0, 0}}, at(3s));
  expect_at(kBlue, {20, 0, 0});
  // An autopilot that passes on what its ground station says is no ground station.
  vehicles->take(kRed, {.system = 255, .mark = 2}, ground, at(2s + 5ms));
  vehicles->take(kRed, {.system = 4, .mark = 9}, LocalPosition{{7, 0, 0}}, at(4s));
  expect_at(kRed, {7, 0, 10});
  auto with = settings();
  with.system_ids = {std::nullopt, std::uint8_t{1}};
  start(with);
  vehicles->take(kBlue, {.system = 255, .mark = 2}, ground, at(2s));
  vehicles->take(kBlue, {.system = 1, .mark = 3}, LocalPosition{{50, 0, 0}}, at(3s));
  expect_at(kBlue, {70, 0, 0});
}

TEST_F(MavlinkVehicles, OfTwoWithOneIdTheFirstHasIt) {
  start(settings());
  vehicles->take(kRed, {.system = 1, .mark = 5}, LocalPosition{{1, 0, 0}}, at(1s));
  vehicles->take(kBlue, {.system = 1, .mark = 6}, LocalPosition{{2, 0, 0}}, at(1s));
  vehicles->take(kRed, {.system = 1, .mark = 7}, LocalPosition{{3, 0, 0}}, at(2s));
  expect_at(kRed, {3, 0, 10});
  expect_at(kBlue, {20, 0, 0});
  EXPECT_EQ(vehicles->counts(kBlue).other_system, 1U);
}

TEST_F(MavlinkVehicles, AForwarderOfSeveralPlacesEachByItsSystem) {
  auto with = settings();
  with.system_ids = {std::uint8_t{1}, std::uint8_t{2}};
  with.forwarders = {std::nullopt, kRed};
  start(with);
  vehicles->take(kRed, {.system = 1}, LocalPosition{{5, 0, 0}}, at(1s));
  vehicles->take(kRed, {.system = 2}, LocalPosition{{7, 0, 0}}, at(1s));
  vehicles->take(kRed, {.system = 3}, LocalPosition{{9, 0, 0}}, at(1s));
  expect_at(kRed, {5, 0, 10});
  expect_at(kBlue, {27, 0, 0});
  EXPECT_EQ(vehicles->counts(kRed).other_system, 1U);
  vehicles->take(kBlue, {.system = 2}, LocalPosition{{8, 0, 0}}, at(2s));
  expect_at(kBlue, {28, 0, 0});
}

TEST_F(MavlinkVehicles, CompanionDoesNotReplaceTheAutopilot) {
  start(settings());
  vehicles->take(kRed, {.system = 1, .component = 191}, Odometry{Vec3{9, 0, 0}}, at(1s));
  expect_at(kRed, {9, 0, 10});
  vehicles->take(kRed, {.system = 1, .component = 1}, Odometry{Vec3{1, 0, 0}}, at(2s));
  vehicles->take(kRed, {.system = 1, .component = 191}, Odometry{Vec3{9, 0, 0}}, at(3s));
  expect_at(kRed, {1, 0, 10});
}

// ---- heights ----

TEST_F(MavlinkVehicles, AnOriginWithoutAltitudeIsAsHighAsTheFirstVehiclesStart) {
  auto with = settings();
  with.origin = Geodetic{kHome.lat_deg, kHome.lon_deg, 0};
  with.origin_has_altitude = false;
  start(with);
  vehicles->take(kRed, {1}, global(0, 0), at(0s));
  vehicles->take(kBlue, {2}, global(30, 5), at(0s));
  expect_at(kRed, {0, 0, 10});
  expect_at(kBlue, {0, 30, 15});
  EXPECT_THAT(told, ElementsAre(HasSubstr("red at 488.0 m above sea, is at its start's height, 10.0 m")));
}

}  // namespace
}  // namespace hilgate::mavlink
