// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "physics_link/mavlink/homes.h"
#include "physics_link/mavlink/messages.h"
#include "physics_link/obstacles.h"
#include "physics_link/physics.h"
#include "physics_link/scene.h"
#include "physics_link/trajectory/trajectory_physics.h"

// The state of a vehicle's telemetry for the robot that it moves.

namespace hilgate::mavlink {

/// When a frame was received. Timers are of simulation time, which is what vehicles' clocks show where they take their
/// time from the run; the host's time is what the speed of their clocks is measured by.
struct Moment {
  HostTime host{};
  SimTime sim{};
  bool queued = false;  // it may have waited before, for how long is not known: on a serial line, in a stream of TCP
};

/// What is known of a vehicle at some instant.
struct Standing {
  enum class State : std::uint8_t {
    kNotHeard,  // on its track
    kNoFix,     // the autopilot does not know where it is
    kHeard,
    kSilent,  // stays where it was
  };
  State state = State::kNotHeard;
  std::optional<std::uint8_t> system{};
  std::optional<Vec3> place{};         // the last it said, in the scene's frame
  Nanoseconds age{0};                  // of place, simulation time
  std::optional<double> clock_rate{};  // of the autopilot's clock, per host time
};
const char* name(Standing::State state);
/// For people: "(1.0, 2.0, 3.0) m".
std::string metres_text(const Vec3& place);

}  // namespace hilgate::mavlink

// Physics from vehicles' own telemetry: each robot is where it last said it is, and on its track until it has said so.
//
// GLOBAL_POSITION_INT has the most, then LOCAL_POSITION_NED, then ODOMETRY, then HIGH_LATENCY2 and HIGH_LATENCY; what
// says less counts only when nothing better was heard for a while. The world's origin is configured, or else it is laid
// so that the first robot with a global position is where its track has it. A local frame begins where its vehicle says
// by GPS_GLOBAL_ORIGIN or HOME_POSITION, or else where the vehicle's track begins; without a configured origin the
// first such frame lays the world's, too. A configured origin without altitude has that at which the first vehicle is
// as high as its track.
//
// A robot is where its own system is: the configured one, or else the first at home there (homes.h) that has a
// position; a forwarder may say it for it (VehicleSettings::forwarders). Robots with a ground station are placed by a
// configured system alone. Of a system's components the autopilot (component 1) places it as soon as it was heard.
//
// ATTITUDE says how a vehicle is turned. One that says nothing more stays where it was; who watches it is told once.

namespace hilgate::mavlink {

struct VehicleCounts {
  std::uint64_t positions = 0;     // taken
  std::uint64_t no_numbers = 0;    // refused: outside the world, or no place on the earth
  std::uint64_t no_fix = 0;        // refused: the autopilot does not know yet
  std::uint64_t other_system = 0;  // refused: of another system than the robot's own
  std::uint64_t jumps = 0;         // farther than a vehicle moves: taken or refused, as JumpPolicy says
  std::uint64_t restarts = 0;      // of the autopilot: its clock began anew
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
  std::vector<std::optional<RobotIndex>> forwarders{};  // likewise: who passes its system's positions on; may be empty
  std::vector<RobotIndex> bodies{};  // by RobotIndex: the robot that stands for its body, which has the settings;
                                     // radios of one body are one vehicle; may be empty: each is one
  Obstacles obstacles;
  std::optional<Geodetic> origin;
  bool origin_has_altitude = true;
  JumpPolicy jumps = JumpPolicy::kTake;
};

/// Control thread.
class Vehicles final : public Physics {
 public:
  /// Throws what TrajectoryPhysics throws.
  explicit Vehicles(VehicleSettings settings);

  /// What is logged of robots: jumps, restarts, silence, and whose position has laid the world's origin.
  void on_event(std::function<void(const std::string&)> report) { report_ = std::move(report); }
  /// A message in a packet of robot `from`, or of a radio of its body, heard at `at`. Others than positions and
  /// heartbeats are ignored.
  void take(RobotIndex from, const Author& author, const Message& message, const Moment& at);
  /// Whether it is another message.
  [[nodiscard]] static bool hears(const Message& message);
  /// Reports vehicles that have fallen silent, lost their fix, or are heard again, and those whose clock does not run
  /// at `pace`, simulation time per host time, where there is one: each change once. A queue that grows makes a clock
  /// seem slow: where messages may have waited, clocks are measured over a longer time, and are never reported as slow.
  void watch(SimTime now, std::optional<double> pace = std::nullopt);
  /// Continues from where another's vehicles are, which are the same.
  void take_over(const Vehicles& old);
  /// As VehicleSettings have them. A robot that is placed by another system from now on is on its track until that
  /// one is heard.
  void place_by(std::vector<std::optional<std::uint8_t>> system_ids, std::vector<std::optional<RobotIndex>> forwarders);

  void scene_at(SimTime at, Scene& scene) override;
  /// Of a robot that stands for its body.
  [[nodiscard]] const VehicleCounts& counts(RobotIndex robot) const { return vehicles_[robot.value()].counts; }
  /// Whether the robot has said where it is.
  [[nodiscard]] bool heard(RobotIndex robot) const { return vehicles_[robot.value()].place.has_value(); }
  [[nodiscard]] Standing standing(RobotIndex robot, SimTime now) const;

 private:
  enum class Source : std::uint8_t { kHighLatency, kOdometry, kLocal, kGlobal };
  struct Vehicle {
    std::optional<std::uint8_t> system{};
    std::optional<Vec3> place{};
    std::optional<Quaternion> turned{};
    Source source = Source::kOdometry;  // of place
    SimTime at{};                       // of place
    std::optional<Geodetic> local_origin{};
    Vec3 local_start{};            // where the local frame begins on the earth's: HOME_POSITION's offset taken off
    bool lost_origin = false;      // by a restart: local positions mean nothing until it is there again
    bool autopilot_heard = false;  // component 1
    Nanoseconds since_boot{0};     // by the autopilot's clock
    std::optional<std::pair<Nanoseconds, HostTime>> clock_from{};  // since_boot and when, where rate is measured from
    std::optional<double> rate{};                                  // of the autopilot's clock, per host time
    bool queued = false;                                           // what rate is measured by
    bool told_rate = false;
    std::optional<SimTime> without_fix{};  // since its last position, when it said so last
    Standing::State told = Standing::State::kNotHeard;
    std::optional<std::pair<std::uint8_t, SimTime>> foreign{};  // who else has said where it is, since when
    bool told_foreign = false;
    VehicleCounts counts{};
  };

  [[nodiscard]] RobotIndex body_of(RobotIndex robot) const;
  void settle_homes();
  void forget_place(RobotIndex robot);
  [[nodiscard]] bool is_anothers(RobotIndex robot, std::uint8_t system) const;
  // Whom what `author` says in a packet of `from` is about.
  [[nodiscard]] RobotIndex placed_by(RobotIndex from, const Author& author) const;
  [[nodiscard]] bool is_own(RobotIndex robot, const Author& author);
  void note_clock(RobotIndex robot, Nanoseconds since_boot, const Moment& at);
  void tell_pace(RobotIndex robot, double pace);
  void tell(RobotIndex robot, const Standing& now);
  void tell_foreign(RobotIndex robot, SimTime now);
  [[nodiscard]] static Nanoseconds patience(const Vehicle& vehicle);
  void place_global(RobotIndex robot, const Geodetic& place, bool fix, Source source, SimTime at);
  void place_local(RobotIndex robot, const Vec3& enu, Source source, SimTime at);
  void lay_altitude(RobotIndex robot, double alt_m, double height);
  void move(RobotIndex robot, const Vec3& to, Source source, SimTime at);
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
  bool has_altitude_;
  Homes homes_;
  std::function<void(const std::string&)> report_ = [](const std::string&) {};
};

}  // namespace hilgate::mavlink
