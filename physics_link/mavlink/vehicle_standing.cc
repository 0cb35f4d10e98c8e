// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/vehicle_standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "physics_link/mavlink/vehicles.h"

namespace hilgate::mavlink {
namespace {

using namespace std::chrono_literals;

// Autopilots send positions every second and more often, also over slow radios.
constexpr auto kSilentAfter = 5s;
constexpr double kPaceTolerance = 0.2;  // relative: simulators wander

}  // namespace

const char* name(Standing::State state) {
  switch (state) {
    case Standing::State::kNoFix:
      return "no fix";
    case Standing::State::kHeard:
      return "heard";
    case Standing::State::kSilent:
      return "silent";
    case Standing::State::kNotHeard:
      break;
  }
  return "not heard";
}

std::string metres_text(const Vec3& place) {
  return fmt::format("({:.1f}, {:.1f}, {:.1f}) m", place.x, place.y, place.z);
}

Standing Vehicles::standing(RobotIndex robot, HostTime now) const {
  const Vehicle& vehicle = vehicles_[robot.value()];
  Standing standing{
      .system = vehicle.system, .place = vehicle.place, .age = Nanoseconds{0}, .clock_rate = vehicle.rate};
  const auto within = [&](HostTime at) { return now - at < kSilentAfter; };
  if (vehicle.place) {
    standing.age = std::max(now - vehicle.at, Nanoseconds{0});
    standing.state = within(vehicle.at) ? Standing::State::kHeard : Standing::State::kSilent;
  }
  if (vehicle.without_fix && within(*vehicle.without_fix) && standing.state != Standing::State::kHeard) {
    standing.state = Standing::State::kNoFix;
  }
  return standing;
}

void Vehicles::watch(HostTime now, std::optional<double> pace) {
  pace_ = pace.value_or(pace_);
  for (std::uint32_t i = 0; i < vehicles_.size(); ++i) {
    const Standing standing = this->standing(RobotIndex{i}, now);
    if (standing.state != vehicles_[i].told) {
      tell(RobotIndex{i}, standing);
      vehicles_[i].told = standing.state;
    }
    if (pace && vehicles_[i].rate) {
      tell_pace(RobotIndex{i}, *pace);
    }
  }
}

void Vehicles::tell_pace(RobotIndex robot, double pace) {
  Vehicle& vehicle = vehicles_[robot.value()];
  const bool differs = std::abs(*vehicle.rate / pace - 1) > kPaceTolerance;
  if (differs && !vehicle.told_rate) {
    report_(
        fmt::format("MAVLink: the clock of robot {}'s autopilot runs at {:.2f} of real time and the run at {:.2f}, so "
                    "that its timeouts are not the radio's; set `pace: dilate` and `dilate: {:.0f} %`",
                    settings_.names[robot.value()], *vehicle.rate, pace, 100 * *vehicle.rate));
  }
  vehicle.told_rate = differs;
}

void Vehicles::tell(RobotIndex robot, const Standing& now) {
  const std::string& name = settings_.names[robot.value()];
  const std::string stays =
      now.place ? fmt::format("it stays at {}", metres_text(*now.place)) : std::string("it stays on its track");
  if (now.state == Standing::State::kSilent) {
    report_(fmt::format("MAVLink: robot {} has sent no position for {} s; {} until it does", name,
                        std::chrono::seconds(kSilentAfter).count(), stays));
  } else if (now.state == Standing::State::kNoFix) {
    report_(fmt::format("MAVLink: robot {}'s autopilot has no position fix; {} until it has", name, stays));
  } else if (now.state == Standing::State::kHeard && vehicles_[robot.value()].told != Standing::State::kNotHeard) {
    report_(fmt::format("MAVLink: robot {} sends its position again: {}", name, metres_text(*now.place)));
  }
}

}  // namespace hilgate::mavlink
