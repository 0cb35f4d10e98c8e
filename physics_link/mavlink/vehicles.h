// SPDX-License-Identifier: Apache-2.0
// Physics from vehicles' own telemetry: each robot is where it last said it is, and on its track until it has said so.
//
// GLOBAL_POSITION_INT says most, then LOCAL_POSITION_NED, then ODOMETRY; what says less counts only when nothing better
// was heard for a while. The world's origin is configured, or else it is laid so that the first robot with a global
// position is where its track has it. A local frame begins where its vehicle says by GPS_GLOBAL_ORIGIN or
// HOME_POSITION, or else where the vehicle's track begins; without a configured origin the first such frame lays the
// world's, too.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "physics_link/mavlink/messages.h"
#include "physics_link/obstacle.h"
#include "physics_link/physics.h"
#include "physics_link/trajectory/trajectory_physics.h"

namespace hilgate::mavlink {

struct VehicleCounts {
  std::uint64_t positions = 0;     // taken
  std::uint64_t no_numbers = 0;    // refused: outside the world, or no place on the earth
  std::uint64_t no_fix = 0;        // refused: the autopilot does not know yet
  std::uint64_t other_system = 0;  // refused: of another system than the robot's own
  std::uint64_t jumps = 0;         // farther than a vehicle moves: taken or refused, as JumpPolicy says
};

/// What a position is worth to which the vehicle cannot have moved: more than 10 m and 150 m/s from the last.
enum class JumpPolicy : std::uint8_t {
  kTake,    // somebody has set it down there
  kRefuse,  // it stays where it was until it can have moved there
};

struct VehicleSettings {
  std::vector<std::string> names;                       // by RobotIndex
  std::vector<Track> tracks;                            // until the first message
  std::vector<std::optional<std::uint8_t>> system_ids;  // whose positions count; without, the first one's that has any
  std::vector<Obstacle> obstacles;
  std::optional<Geodetic> origin;
  JumpPolicy jumps = JumpPolicy::kTake;
};

/// Control thread.
class Vehicles final : public Physics {
 public:
  /// Throws what TrajectoryPhysics throws.
  explicit Vehicles(VehicleSettings settings);

  /// What the log is told of robots: a jump, and whose position has laid the world's origin.
  void on_event(std::function<void(const std::string&)> report) { report_ = std::move(report); }
  /// A message of system `system` in a packet of robot `from`, heard at `at`. Others than positions are ignored.
  void take(RobotIndex from, std::uint8_t system, const Message& message, HostTime at);
  /// Goes on from where another's vehicles are, which are the same.
  void take_over(const Vehicles& old);

  void scene_at(SimTime at, Scene& scene) override;
  /// By RobotIndex.
  [[nodiscard]] const VehicleCounts& counts(RobotIndex robot) const { return vehicles_[robot.value()].counts; }
  /// Whether the robot has said where it is.
  [[nodiscard]] bool heard(RobotIndex robot) const { return vehicles_[robot.value()].place.has_value(); }

 private:
  enum class Source : std::uint8_t { kOdometry, kLocal, kGlobal };
  struct Vehicle {
    std::optional<std::uint8_t> system{};
    std::optional<Vec3> place{};
    Source source = Source::kOdometry;  // of place
    HostTime at{};                      // of place
    std::optional<Geodetic> local_origin{};
    Vec3 local_start{};  // where the local frame begins on the earth's: HOME_POSITION's offset taken off
    VehicleCounts counts{};
  };

  [[nodiscard]] bool is_own(Vehicle& vehicle, std::uint8_t system);
  void place_global(RobotIndex robot, const GlobalPosition& position, HostTime at);
  void place_local(RobotIndex robot, const Vec3& enu, Source source, HostTime at);
  void move(RobotIndex robot, const Vec3& to, Source source, HostTime at);
  void set_local_origin(RobotIndex robot, const Geodetic& place, const Vec3& offset);
  void lay_origin(RobotIndex robot, const Geodetic& place, const Vec3& at);

  VehicleSettings settings_;
  TrajectoryPhysics tracks_;
  std::vector<Vehicle> vehicles_;  // by RobotIndex
  std::vector<Vec3> start_;        // by RobotIndex: where tracks begin
  std::vector<Vec3> on_track_;     // by RobotIndex: at the last scene
  // The world's origin, and where it lies in the scene's frame.
  std::optional<Geodetic> origin_;
  Vec3 origin_at_{};
  std::function<void(const std::string&)> report_ = [](const std::string&) {};
};

}  // namespace hilgate::mavlink
