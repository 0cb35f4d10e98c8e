// SPDX-License-Identifier: Apache-2.0
// Positions that no robot can have, from everybody who tells positions, and what the air makes of them.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "physics_link/feeds/position_feed.h"
#include "physics_link/feeds/position_formats.h"
#include "physics_link/mavlink/vehicles.h"
#include "rf_profiles/fading/fading.h"
#include "rf_profiles/propagation/shadowing.h"
#include "tests/fault/fault_record.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr double kMost = std::numeric_limits<double>::max();

TEST(Fault, ExtremeFinitePositionsDoNotBlockTheRun) {
  PositionFeed feed({"red", "blue"});
  for (const char* line : {R"({"name": "red", "x": 1.7e308, "y": 0, "z": 0})", R"({"name": "red", "x": -1.7e308})",
                           R"({"name": "blue", "x": 1e20, "y": 0, "z": 0})"}) {
    const auto position = parse_cornet_position(line);
    ASSERT_TRUE(position);
    EXPECT_FALSE(feed.move(position->robot, position->at)) << line;
  }
  EXPECT_EQ(feed.counters().malformed, 3U);
  ShadowField field({{4, 10}, {7.82, 13}}, 1, 1);
  field.update(0, 0, true);
  const auto took = time_of([&] {
    for (const double moved_m : {kMost, std::numeric_limits<double>::quiet_NaN()}) {
      EXPECT_LT(std::abs(field.update(0, moved_m, true)), 40);
    }
  });
  record({"Positions of 1e20 m, +-1.7e308 m, no numbers", "Refused at every source, and no model walks for ever",
          "the walk over no number took " + text_of(took)});
}

TEST(Fault, TelemetryJumpDoesNotImproveTheRadio) {
  mavlink::Vehicles vehicles({.names = {"red"},
                              .tracks = {Track{{SimTime{}, {}}}},
                              .system_ids = {std::nullopt},
                              .obstacles = {},
                              .origin = std::nullopt});
  vehicles.take(RobotIndex{0}, {.system = 1}, mavlink::LocalPosition{{1e20, 0, 0}}, {HostTime{1s}, SimTime{1s}});
  Scene scene;
  vehicles.scene_at(SimTime{}, scene);
  EXPECT_EQ(scene.robots[0].position, Vec3{});

  Fading fading;
  fading.los = fading.nlos = RiceFading{.k = 3};
  FadingField field(fading, Hertz{2.4e9}, 1, 1);
  field.update(0, 1e20, 0.1, true);
  double least = 1000, most = -1000;
  for (int i = 0; i < 2000; ++i) {
    const double gain_db = field.update(0, 0.02, 0.1, true);
    least = std::min(least, gain_db);
    most = std::max(most, gain_db);
  }
  EXPECT_LT(most, 12);
  EXPECT_LT(least, most - 3);
  record({"One MAVLink position of 1e20 m", "Refused; fading stays fading whatever the way",
          fmt::format("gains from {:.1f} to {:.1f} dB afterwards", least, most)});
}

TEST(Fault, ConfiguredOriginIsNotMovedByVehicles) {
  constexpr mavlink::Geodetic kHome{47.3977418, 8.5455939, 488};
  constexpr mavlink::Geodetic kElsewhere{0, 0, 0};
  const auto red_after_mallory = [&](const std::optional<mavlink::Geodetic>& origin, std::vector<std::string>& told) {
    mavlink::Vehicles vehicles({.names = {"red", "mallory"},
                                .tracks = {Track{{SimTime{}, {}}}, Track{{SimTime{}, {}}}},
                                .system_ids = {std::nullopt, std::nullopt},
                                .obstacles = {},
                                .origin = origin});
    vehicles.on_event([&told](const std::string& text) { told.push_back(text); });
    vehicles.take(RobotIndex{1}, {.system = 2}, mavlink::GlobalPosition{kElsewhere, true}, {HostTime{1s}, SimTime{1s}});
    vehicles.take(RobotIndex{0}, {.system = 1}, mavlink::GlobalPosition{kHome, true}, {HostTime{1s}, SimTime{1s}});
    Scene scene;
    vehicles.scene_at(SimTime{1s}, scene);
    return scene.robots[0].position;
  };
  std::vector<std::string> told;
  const Vec3 red = red_after_mallory(kHome, told);
  EXPECT_LT(std::hypot(red.x, red.y, red.z), 1);
  told.clear();
  red_after_mallory(std::nullopt, told);
  const auto by_name = std::count_if(told.begin(), told.end(), [](const std::string& text) {
    return text.find("of robot mallory, lays the origin for all robots") != std::string::npos;
  });
  EXPECT_EQ(by_name, 1);
  record({"The first vehicle reports by MAVLink that it is on another continent",
          "With `origin` in the configuration the others stay where they are; without one the log names the vehicle "
          "that set it",
          fmt::format("the other robot is {:.2f} m from its place; told {} time", std::hypot(red.x, red.y, red.z),
                      by_name)});
}

}  // namespace
}  // namespace hilgate::test
