// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/vehicles.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "physics_link/foreign_numbers.h"

namespace hilgate::mavlink {
namespace {

using namespace std::chrono_literals;

// As long as a better message was heard within this time, a worse one does not count.
constexpr auto kBetterLasts = 2s;
// Farther and faster than vehicles go: somebody has set them down elsewhere.
constexpr double kJump = 10;      // m
constexpr double kFastest = 150;  // m/s

Vec3 plus(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec3 minus(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
bool is_on_earth(const Geodetic& place) {
  return std::abs(place.lat_deg) <= 90 && std::abs(place.lon_deg) <= 180;
}

bool is_jump(const Vec3& from, const Vec3& to, Nanoseconds time) {
  const Vec3 d = minus(to, from);
  const double distance = std::hypot(d.x, d.y, d.z);
  const double seconds = static_cast<double>(time.count()) / 1e9;
  return distance > kJump && distance > kFastest * seconds;
}

}  // namespace

Vehicles::Vehicles(VehicleSettings settings)
    : settings_(std::move(settings)),
      tracks_(settings_.tracks, settings_.obstacles),
      vehicles_(settings_.tracks.size()),
      origin_(settings_.origin) {
  for (std::size_t i = 0; i < vehicles_.size(); ++i) {
    vehicles_[i].system = settings_.system_ids[i];
    start_.push_back(settings_.tracks[i].front().position);
  }
  on_track_ = start_;
}

void Vehicles::take(RobotIndex from, std::uint8_t system, const Message& message, HostTime at) {
  Vehicle& vehicle = vehicles_[from.value()];
  const auto* global = std::get_if<GlobalPosition>(&message);
  const auto* local = std::get_if<LocalPosition>(&message);
  const auto* odometry = std::get_if<Odometry>(&message);
  const auto* origin = std::get_if<GlobalOrigin>(&message);
  const auto* home = std::get_if<HomePosition>(&message);
  if (global == nullptr && local == nullptr && odometry == nullptr && origin == nullptr && home == nullptr) {
    return;
  }
  if (!is_own(vehicle, system)) {
    ++vehicle.counts.other_system;
  } else if (global != nullptr) {
    place_global(from, *global, at);
  } else if (local != nullptr) {
    place_local(from, local->enu, Source::kLocal, at);
  } else if (odometry != nullptr && odometry->enu) {
    place_local(from, *odometry->enu, Source::kOdometry, at);
  } else if (origin != nullptr) {
    set_local_origin(from, origin->at, {});
  } else if (home != nullptr) {
    set_local_origin(from, home->at, home->enu);
  }
}

bool Vehicles::is_own(Vehicle& vehicle, std::uint8_t system) {
  if (!vehicle.system) {
    vehicle.system = system;
  }
  return *vehicle.system == system;
}

void Vehicles::set_local_origin(RobotIndex robot, const Geodetic& place, const Vec3& offset) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!is_on_earth(place) || !is_bounded(offset)) {
    ++vehicle.counts.no_numbers;
    return;
  }
  vehicle.local_origin = place;
  vehicle.local_start = minus({}, offset);
  if (!origin_) {
    lay_origin(robot, place, plus(start_[robot.value()], offset));
  }
}

void Vehicles::lay_origin(RobotIndex robot, const Geodetic& place, const Vec3& at) {
  origin_ = place;
  origin_at_ = at;
  report_(
      fmt::format("MAVLink: the first position, {:.7f} {:.7f} of robot {}, lays the origin for all robots; set "
                  "physics.origin so that no robot does",
                  place.lat_deg, place.lon_deg, settings_.names[robot.value()]));
}

void Vehicles::place_global(RobotIndex robot, const GlobalPosition& position, HostTime at) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!position.fix) {
    ++vehicle.counts.no_fix;
    return;
  }
  if (!is_on_earth(position.at)) {
    ++vehicle.counts.no_numbers;
    return;
  }
  if (!origin_) {
    lay_origin(robot, position.at, on_track_[robot.value()]);
  }
  move(robot, plus(origin_at_, enu_of(position.at, *origin_)), Source::kGlobal, at);
}

void Vehicles::place_local(RobotIndex robot, const Vec3& enu, Source source, HostTime at) {
  const Vehicle& vehicle = vehicles_[robot.value()];
  Vec3 begin = start_[robot.value()];
  if (vehicle.local_origin && origin_) {
    begin = plus(plus(origin_at_, enu_of(*vehicle.local_origin, *origin_)), vehicle.local_start);
  }
  move(robot, plus(begin, enu), source, at);
}

void Vehicles::move(RobotIndex robot, const Vec3& to, Source source, HostTime at) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!is_bounded(to)) {
    ++vehicle.counts.no_numbers;
    return;
  }
  if (vehicle.place && source < vehicle.source && at - vehicle.at < kBetterLasts) {
    return;
  }
  if (vehicle.place && is_jump(*vehicle.place, to, at - vehicle.at)) {
    const bool refused = settings_.jumps == JumpPolicy::kRefuse;
    ++vehicle.counts.jumps;
    report_(fmt::format("MAVLink: robot {} jumped from ({:.1f}, {:.1f}, {:.1f}) m to ({:.1f}, {:.1f}, {:.1f}) m{}",
                        settings_.names[robot.value()], vehicle.place->x, vehicle.place->y, vehicle.place->z, to.x,
                        to.y, to.z, refused ? ", refused" : ""));
    if (refused) {
      return;
    }
  }
  vehicle.place = to;
  vehicle.source = source;
  vehicle.at = at;
  ++vehicle.counts.positions;
}

void Vehicles::take_over(const Vehicles& old) {
  for (std::size_t i = 0; i < vehicles_.size() && i < old.vehicles_.size(); ++i) {
    const auto own = settings_.system_ids[i];
    vehicles_[i] = old.vehicles_[i];
    vehicles_[i].system = own ? own : vehicles_[i].system;
  }
  origin_ = old.origin_;
  origin_at_ = old.origin_at_;
  report_ = old.report_;
}

void Vehicles::scene_at(SimTime at, Scene& scene) {
  tracks_.place(at, scene);
  for (std::size_t i = 0; i < vehicles_.size(); ++i) {
    on_track_[i] = scene.robots[i].position;
    scene.robots[i].position = vehicles_[i].place.value_or(on_track_[i]);
  }
  tracks_.look(scene);
}

}  // namespace hilgate::mavlink
