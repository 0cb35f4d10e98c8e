// SPDX-License-Identifier: Apache-2.0
// Two robots that are placed by their telemetry: red on a track of 10 m/s eastwards, blue at rest.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "physics_link/mavlink/vehicles.h"

namespace hilgate::mavlink {

inline constexpr RobotIndex kRed{0};
inline constexpr RobotIndex kBlue{1};
inline constexpr Geodetic kHome{47.3977418, 8.5455939, 488.0};
inline constexpr double kMetreNorth = 1 / 111'000.0;  // degrees of latitude, nearly

class MavlinkVehicles : public testing::Test {
 protected:
  static VehicleSettings settings() {
    return {.names = {"red", "blue"},
            .tracks = {Track{{SimTime{}, {0, 0, 10}}, {SimTime{std::chrono::seconds{10}}, {100, 0, 10}}},
                       Track{{SimTime{}, {20, 0, 0}}}},
            .system_ids = {std::nullopt, std::nullopt},
            .obstacles = {},
            .origin = std::nullopt};
  }
  void start(const VehicleSettings& with) {
    vehicles.emplace(with);
    vehicles->on_event([this](const std::string& text) { told.push_back(text); });
  }
  Vec3 where(RobotIndex robot, SimTime at = SimTime{}) {
    Scene scene;
    vehicles->scene_at(at, scene);
    return scene.robots[robot.value()].position;
  }
  void expect_at(RobotIndex robot, const Vec3& place, SimTime at = SimTime{}) {
    const Vec3 is = where(robot, at);
    EXPECT_NEAR(is.x, place.x, 0.3);
    EXPECT_NEAR(is.y, place.y, 0.3);
    EXPECT_NEAR(is.z, place.z, 0.3);
  }
  // Simulation time that goes as the host's.
  static Moment at(Nanoseconds time) { return {HostTime{time}, SimTime{time}}; }
  static GlobalPosition global(double north_m, double up_m = 0) {
    return {{kHome.lat_deg + north_m * kMetreNorth, kHome.lon_deg, kHome.alt_m + up_m}, true};
  }

  std::vector<std::string> told;
  std::optional<Vehicles> vehicles;
};

}  // namespace hilgate::mavlink
