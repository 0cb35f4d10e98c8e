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

// ---- silence ----

TEST_F(MavlinkVehicles, ASilentVehicleAgesAndIsToldOnce) {
  start(settings());
  EXPECT_EQ(vehicles->standing(kRed, HostTime{9s}).state, Standing::State::kNotHeard);
  vehicles->take(kRed, {1}, LocalPosition{{3, 0, 0}}, HostTime{10s});
  vehicles->watch(HostTime{11s});
  EXPECT_THAT(told, IsEmpty());
  for (const auto now : {14s, 16s, 20s, 30s}) {
    vehicles->watch(HostTime{now});
  }
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red has sent no position for 5 s; it stays at (3.0, 0.0, 10.0) m")));
  EXPECT_EQ(vehicles->standing(kRed, HostTime{30s}).state, Standing::State::kSilent);
  EXPECT_EQ(vehicles->standing(kRed, HostTime{30s}).age, 20s);
  expect_at(kRed, {3, 0, 10});
  vehicles->take(kRed, {1}, LocalPosition{{4, 0, 0}}, HostTime{31s});
  vehicles->watch(HostTime{31s});
  vehicles->watch(HostTime{32s});
  EXPECT_EQ(told.size(), 2U);
  EXPECT_THAT(told.back(), HasSubstr("robot red sends its position again: (4.0, 0.0, 10.0) m"));
}

TEST_F(MavlinkVehicles, WithoutAFixTheyStayAndSaySo) {
  start(settings());
  vehicles->take(kRed, {1}, GlobalPosition{}, HostTime{1s});
  vehicles->watch(HostTime{1s});
  EXPECT_EQ(vehicles->standing(kRed, HostTime{1s}).state, Standing::State::kNoFix);
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red's autopilot has no position fix; it stays on its track")));
  vehicles->take(kRed, {1}, global(0), HostTime{2s});
  EXPECT_EQ(vehicles->standing(kRed, HostTime{2s}).state, Standing::State::kHeard);
  // Lost in flight: at first the last place is fresh enough.
  for (int second = 3; second < 12; ++second) {
    vehicles->take(kRed, {1}, GlobalPosition{}, HostTime{std::chrono::seconds(second)});
  }
  EXPECT_EQ(vehicles->standing(kRed, HostTime{11s}).state, Standing::State::kNoFix);
  EXPECT_EQ(vehicles->standing(kRed, HostTime{11s}).age, 9s);
}

TEST_F(MavlinkVehicles, AnAutopilotThatStartsAgainInFlightStaysWhereItIsUntilItKnows) {
  auto with = settings();
  with.origin = kHome;
  start(with);
  vehicles->take(kBlue, {2}, GlobalOrigin{global(100).at}, HostTime{1s});
  vehicles->take(kBlue, {2}, LocalPosition{{1, 2, 3}, 60s}, HostTime{2s});
  expect_at(kBlue, {1, 102, 3});
  vehicles->take(kBlue, {2}, LocalPosition{{0, 0, 0}, 500ms}, HostTime{3s});
  expect_at(kBlue, {1, 102, 3});
  EXPECT_EQ(vehicles->counts(kBlue).restarts, 1U);
  EXPECT_THAT(told, ElementsAre(HasSubstr("the autopilot of robot blue has started again, 0.5 s ago")));
  vehicles->take(kBlue, {2}, GlobalOrigin{global(104).at}, HostTime{4s});
  vehicles->take(kBlue, {2}, LocalPosition{{0, 0, 1}, 1500ms}, HostTime{5s});
  expect_at(kBlue, {0, 104, 1});
  vehicles->take(kBlue, {2}, LocalPosition{{0, 1, 1}, 1400ms}, HostTime{5s});
  EXPECT_EQ(vehicles->counts(kBlue).restarts, 1U) << "out of order is no restart";
}

// ArduPilot's simulator with --speedup 5.
TEST_F(MavlinkVehicles, AClockThatIsNotTheRunsIsToldOnce) {
  start(settings());
  for (int second = 0; second <= 12; ++second) {
    const HostTime at{std::chrono::seconds(second)};
    vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}, 5s * second}, at);
    vehicles->watch(at, 5.2);
  }
  EXPECT_THAT(told, IsEmpty());
  EXPECT_NEAR(vehicles->standing(kRed, HostTime{12s}).clock_rate.value_or(0), 5, 1e-9);
  vehicles->watch(HostTime{12s});
  EXPECT_THAT(told, IsEmpty()) << "lockstep";
  vehicles->watch(HostTime{12s}, 1.0);
  vehicles->watch(HostTime{13s}, 1.0);
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot red's autopilot runs at 5.00 of real time and the run at 1.00")));
  EXPECT_THAT(told.back(), HasSubstr("`dilate: 500 %`"));
}

TEST_F(MavlinkVehicles, WhatIsFarIsByThePaceOfTheRun) {
  start(settings());
  vehicles->watch(HostTime{}, 10.0);
  vehicles->take(kRed, {1}, LocalPosition{{0, 0, 0}}, HostTime{1s});
  vehicles->take(kRed, {1}, LocalPosition{{200, 0, 0}}, HostTime{2s});  // 20 m/s of its own
  EXPECT_EQ(vehicles->counts(kRed).jumps, 0U);
}

// ---- whose positions ----

TEST_F(MavlinkVehicles, AForwarderIsNotWhereItsVehicleIs) {
  start(settings());
  vehicles->take(kRed, {.system = 1, .mark = 77}, LocalPosition{{500, 0, 0}}, HostTime{1s});
  vehicles->take(kBlue, {.system = 1, .mark = 77}, LocalPosition{{500, 0, 0}}, HostTime{1s + 4ms});
  expect_at(kRed, {500, 0, 10});
  expect_at(kBlue, {20, 0, 0});
  EXPECT_EQ(vehicles->counts(kBlue).other_system, 1U);
}

TEST_F(MavlinkVehicles, AForwarderThatIsHeardFirstIsFoundOut) {
  start(settings());
  vehicles->take(kBlue, {.system = 1, .mark = 76}, LocalPosition{{500, 0, 0}}, HostTime{1s});  // the run begins
  vehicles->take(kRed, {.system = 1, .mark = 77}, LocalPosition{{501, 0, 0}}, HostTime{2s});
  vehicles->take(kBlue, {.system = 1, .mark = 77}, LocalPosition{{501, 0, 0}}, HostTime{2s + 4ms});
  expect_at(kBlue, {20, 0, 0});
  EXPECT_THAT(told, ElementsAre(HasSubstr("robot blue passes on what system 1 says, and is not placed by it")));
  vehicles->take(kRed, {.system = 1, .mark = 78}, LocalPosition{{502, 0, 0}}, HostTime{3s});
  expect_at(kRed, {502, 0, 10});
}

TEST_F(MavlinkVehicles, ARobotWithAGroundStationIsPlacedByAConfiguredSystemAlone) {
  const Heartbeat ground{.type = Heartbeat::kGroundStation, .autopilot = 8};
  start(settings());
  vehicles->take(kBlue, {.system = 1, .mark = 1}, LocalPosition{{500, 0, 0}}, HostTime{1s});
  vehicles->take(kBlue, {.system = 255, .mark = 2}, ground, HostTime{2s});
  expect_at(kBlue, {20, 0, 0});
  vehicles->take(kBlue, {.system = 1, .mark = 3}, LocalPosition{{500, 0, 0}}, HostTime{3s});
  expect_at(kBlue, {20, 0, 0});
  // An autopilot that passes on what its ground station says is no ground station.
  vehicles->take(kRed, {.system = 255, .mark = 2}, ground, HostTime{2s + 5ms});
  vehicles->take(kRed, {.system = 4, .mark = 9}, LocalPosition{{7, 0, 0}}, HostTime{4s});
  expect_at(kRed, {7, 0, 10});
  auto with = settings();
  with.system_ids = {std::nullopt, std::uint8_t{1}};
  start(with);
  vehicles->take(kBlue, {.system = 255, .mark = 2}, ground, HostTime{2s});
  vehicles->take(kBlue, {.system = 1, .mark = 3}, LocalPosition{{50, 0, 0}}, HostTime{3s});
  expect_at(kBlue, {70, 0, 0});
}

TEST_F(MavlinkVehicles, OfTwoWithOneIdTheFirstHasIt) {
  start(settings());
  vehicles->take(kRed, {.system = 1, .mark = 5}, LocalPosition{{1, 0, 0}}, HostTime{1s});
  vehicles->take(kBlue, {.system = 1, .mark = 6}, LocalPosition{{2, 0, 0}}, HostTime{1s});
  vehicles->take(kRed, {.system = 1, .mark = 7}, LocalPosition{{3, 0, 0}}, HostTime{2s});
  expect_at(kRed, {3, 0, 10});
  expect_at(kBlue, {20, 0, 0});
  EXPECT_EQ(vehicles->counts(kBlue).other_system, 1U);
}

TEST_F(MavlinkVehicles, AForwarderOfSeveralPlacesEachByItsSystem) {
  auto with = settings();
  with.system_ids = {std::uint8_t{1}, std::uint8_t{2}};
  with.forwarders = {std::nullopt, kRed};
  start(with);
  vehicles->take(kRed, {.system = 1}, LocalPosition{{5, 0, 0}}, HostTime{1s});
  vehicles->take(kRed, {.system = 2}, LocalPosition{{7, 0, 0}}, HostTime{1s});
  vehicles->take(kRed, {.system = 3}, LocalPosition{{9, 0, 0}}, HostTime{1s});
  expect_at(kRed, {5, 0, 10});
  expect_at(kBlue, {27, 0, 0});
  EXPECT_EQ(vehicles->counts(kRed).other_system, 1U);
  vehicles->take(kBlue, {.system = 2}, LocalPosition{{8, 0, 0}}, HostTime{2s});
  expect_at(kBlue, {28, 0, 0});
}

TEST_F(MavlinkVehicles, ACompanionDoesNotSpeakForTheAutopilot) {
  start(settings());
  vehicles->take(kRed, {.system = 1, .component = 191}, Odometry{Vec3{9, 0, 0}}, HostTime{1s});
  expect_at(kRed, {9, 0, 10});
  vehicles->take(kRed, {.system = 1, .component = 1}, Odometry{Vec3{1, 0, 0}}, HostTime{2s});
  vehicles->take(kRed, {.system = 1, .component = 191}, Odometry{Vec3{9, 0, 0}}, HostTime{3s});
  expect_at(kRed, {1, 0, 10});
}

// ---- heights ----

TEST_F(MavlinkVehicles, AnOriginWithoutAltitudeIsAsHighAsTheFirstVehiclesStart) {
  auto with = settings();
  with.origin = Geodetic{kHome.lat_deg, kHome.lon_deg, 0};
  with.origin_has_altitude = false;
  start(with);
  vehicles->take(kRed, {1}, global(0, 0), HostTime{});
  vehicles->take(kBlue, {2}, global(30, 5), HostTime{});
  expect_at(kRed, {0, 0, 10});
  expect_at(kBlue, {0, 30, 15});
  EXPECT_THAT(told, ElementsAre(HasSubstr("red at 488.0 m above sea, is at its start's height, 10.0 m")));
}

}  // namespace
}  // namespace hilgate::mavlink
