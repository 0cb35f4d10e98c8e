// SPDX-License-Identifier: Apache-2.0
#include "physics_link/mavlink/vehicles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "physics_link/foreign_numbers.h"

namespace hilgate::mavlink {
namespace {

using namespace std::chrono_literals;

// While a better message was received within this time, a worse one does not count.
constexpr auto kBetterLasts = 2s;
// Farther and faster than vehicles move: the vehicle was set down elsewhere.
constexpr double kJump = 10;      // m
constexpr double kFastest = 150;  // m/s
constexpr auto kRateSpan = 5s;
constexpr auto kQueuedRateSpan = 60s;  // queues of modems and sockets hold some seconds
constexpr auto kClockStep = 2s;        // back: a restart, and no message out of order

Vec3 plus(const Vec3& a, const Vec3& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vec3 minus(const Vec3& a, const Vec3& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
bool is_on_earth(const Geodetic& place) {
  return std::abs(place.lat_deg) <= 90 && std::abs(place.lon_deg) <= 180;
}

std::optional<RobotIndex> forwarder_in(const std::vector<std::optional<RobotIndex>>& forwarders, std::size_t robot) {
  return robot < forwarders.size() ? forwarders[robot] : std::nullopt;
}

bool is_jump(const Vec3& from, const Vec3& to, Nanoseconds time) {
  const Vec3 d = minus(to, from);
  const double distance = std::hypot(d.x, d.y, d.z);
  return distance > kJump && distance > kFastest * static_cast<double>(time.count()) / 1e9;
}

}  // namespace

Vehicles::Vehicles(VehicleSettings settings)
    : settings_(std::move(settings)),
      tracks_(settings_.tracks, settings_.obstacles),
      vehicles_(settings_.tracks.size()),
      origin_(settings_.origin),
      has_altitude_(settings_.origin_has_altitude) {
  for (std::size_t i = 0; i < vehicles_.size(); ++i) {
    vehicles_[i].system = settings_.system_ids[i];
    start_.push_back(settings_.tracks[i].front().position);
  }
  on_track_ = start_;
}

RobotIndex Vehicles::placed_by(RobotIndex from, const Author& author) const {
  for (std::uint32_t i = 0; i < settings_.forwarders.size(); ++i) {
    if (settings_.forwarders[i] == from && settings_.system_ids[i] == author.system) {
      return RobotIndex{i};
    }
  }
  return from;
}

bool Vehicles::hears(const Message& message) {
  return std::holds_alternative<Heartbeat>(message) || std::holds_alternative<GlobalPosition>(message) ||
         std::holds_alternative<LocalPosition>(message) || std::holds_alternative<Odometry>(message) ||
         std::holds_alternative<GlobalOrigin>(message) || std::holds_alternative<HomePosition>(message) ||
         std::holds_alternative<Attitude>(message) || std::holds_alternative<HighLatency>(message);
}

RobotIndex Vehicles::body_of(RobotIndex robot) const {
  return robot.value() < settings_.bodies.size() ? settings_.bodies[robot.value()] : robot;
}

void Vehicles::take(RobotIndex radio, const Author& author, const Message& message, const Moment& at) {
  const RobotIndex from = body_of(radio);
  const auto* heartbeat = std::get_if<Heartbeat>(&message);
  const auto* global = std::get_if<GlobalPosition>(&message);
  const auto* rare = std::get_if<HighLatency>(&message);
  const auto* local = std::get_if<LocalPosition>(&message);
  const auto* odometry = std::get_if<Odometry>(&message);
  const auto* origin = std::get_if<GlobalOrigin>(&message);
  const auto* home = std::get_if<HomePosition>(&message);
  const auto* attitude = std::get_if<Attitude>(&message);
  if (!hears(message)) {
    return;
  }
  if (homes_.note(from, author, heartbeat != nullptr && heartbeat->type == Heartbeat::kGroundStation, at.sim)) {
    settle_homes();
  }
  if (heartbeat != nullptr) {
    return;
  }
  const RobotIndex robot = placed_by(from, author);
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!is_own(robot, author)) {
    ++vehicle.counts.other_system;
    vehicle.foreign = vehicle.foreign.value_or(std::pair(author.system, at.sim));
  } else if (global != nullptr) {
    note_clock(robot, global->since_boot, at);
    place_global(robot, global->at, global->fix, Source::kGlobal, at.sim);
  } else if (rare != nullptr) {
    place_global(robot, rare->at, rare->fix, Source::kHighLatency, at.sim);
  } else if (local != nullptr) {
    note_clock(robot, local->since_boot, at);
    place_local(robot, local->enu, Source::kLocal, at.sim);
  } else if (odometry != nullptr && odometry->enu) {
    place_local(robot, *odometry->enu, Source::kOdometry, at.sim);
  } else if (origin != nullptr) {
    set_local_origin(robot, origin->at, {});
  } else if (home != nullptr) {
    set_local_origin(robot, home->at, home->enu);
  } else if (attitude != nullptr && std::isfinite(attitude->enu.w)) {
    vehicle.turned = attitude->enu;
  }
}

// A robot that was placed by a system which has turned out to be another's is on its track again.
void Vehicles::settle_homes() {
  for (std::uint32_t i = 0; i < vehicles_.size(); ++i) {
    Vehicle& vehicle = vehicles_[i];
    const RobotIndex robot{i};
    if (!settings_.system_ids[i] && vehicle.system &&
        (homes_.of(*vehicle.system) != robot || homes_.has_ground_station(robot))) {
      report_(
          fmt::format("MAVLink: robot {} passes on what system {} says, and is not placed by it; set `system_id` "
                      "if it is this vehicle",
                      settings_.names[i], *vehicle.system));
      forget_place(robot);
    }
  }
}

void Vehicles::forget_place(RobotIndex robot) {
  Vehicle& vehicle = vehicles_[robot.value()];
  vehicle = {.system = settings_.system_ids[robot.value()], .counts = vehicle.counts};
}

bool Vehicles::is_anothers(RobotIndex robot, std::uint8_t system) const {
  const auto owner = std::ranges::find(settings_.system_ids, std::optional(system));
  return owner != settings_.system_ids.end() && owner - settings_.system_ids.begin() != robot.value();
}

void Vehicles::place_by(std::vector<std::optional<std::uint8_t>> system_ids,
                        std::vector<std::optional<RobotIndex>> forwarders) {
  const auto old_forwarders = std::exchange(settings_.forwarders, std::move(forwarders));
  settings_.system_ids = std::move(system_ids);
  for (std::uint32_t i = 0; i < vehicles_.size(); ++i) {
    const auto& now = vehicles_[i].system;
    const auto& wanted = settings_.system_ids[i];
    const bool moved = forwarder_in(old_forwarders, i) != forwarder_in(settings_.forwarders, i);
    if (moved || (wanted && now != wanted) || (!wanted && now && is_anothers(RobotIndex{i}, *now))) {
      forget_place(RobotIndex{i});
    }
  }
}

bool Vehicles::is_own(RobotIndex robot, const Author& author) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!vehicle.system) {
    if (is_anothers(robot, author.system) || homes_.of(author.system) != robot || homes_.has_ground_station(robot)) {
      return false;
    }
    vehicle.system = author.system;
  }
  if (*vehicle.system != author.system) {
    return false;
  }
  vehicle.autopilot_heard = vehicle.autopilot_heard || author.component == Author{}.component;
  return author.component == Author{}.component || !vehicle.autopilot_heard;
}

// Where its local frame begins is not what it was.
void Vehicles::note_clock(RobotIndex robot, Nanoseconds since_boot, const Moment& at) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (since_boot < vehicle.since_boot - kClockStep) {
    ++vehicle.counts.restarts;
    report_(fmt::format("MAVLink: the autopilot of robot {} has started again, {:.1f} s ago",
                        settings_.names[robot.value()], static_cast<double>(since_boot.count()) / 1e9));
    vehicle.lost_origin = vehicle.lost_origin || vehicle.local_origin.has_value();
    vehicle.local_origin.reset();
    vehicle.clock_from.reset();
  }
  if (!vehicle.clock_from || at.queued != vehicle.queued) {
    vehicle.clock_from = {since_boot, at.host};
    vehicle.queued = at.queued;
    vehicle.rate.reset();
  } else if (at.host - vehicle.clock_from->second >= (at.queued ? kQueuedRateSpan : kRateSpan)) {
    vehicle.rate = static_cast<double>((since_boot - vehicle.clock_from->first).count()) /
                   static_cast<double>((at.host - vehicle.clock_from->second).count());
    vehicle.clock_from = {since_boot, at.host};
  }
  vehicle.since_boot = since_boot;
}

void Vehicles::set_local_origin(RobotIndex robot, const Geodetic& place, const Vec3& offset) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!is_on_earth(place) || !is_bounded(offset)) {
    ++vehicle.counts.no_numbers;
    return;
  }
  vehicle.local_origin = place;
  vehicle.lost_origin = false;
  vehicle.local_start = minus({}, offset);
  if (!origin_) {
    lay_origin(robot, place, plus(start_[robot.value()], offset));
  } else if (!has_altitude_) {
    lay_altitude(robot, place.alt_m, start_[robot.value()].z + offset.z);
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

void Vehicles::lay_altitude(RobotIndex robot, double alt_m, double height) {
  origin_->alt_m = alt_m - height;
  has_altitude_ = true;
  report_(
      fmt::format("MAVLink: physics.origin has no altitude; the first vehicle, {} at {:.1f} m above sea, is at its "
                  "start's height, {:.1f} m; set physics.origin.altitude so that no robot does",
                  settings_.names[robot.value()], alt_m, height));
}

void Vehicles::place_global(RobotIndex robot, const Geodetic& place, bool fix, Source source, SimTime at) {
  Vehicle& vehicle = vehicles_[robot.value()];
  if (!fix) {
    ++vehicle.counts.no_fix;
    vehicle.without_fix = at;
    return;
  }
  if (!is_on_earth(place)) {
    ++vehicle.counts.no_numbers;
    return;
  }
  if (!origin_) {
    lay_origin(robot, place, on_track_[robot.value()]);
  } else if (!has_altitude_) {
    lay_altitude(robot, place.alt_m, on_track_[robot.value()].z);
  }
  move(robot, plus(origin_at_, enu_of(place, *origin_)), source, at);
}

void Vehicles::place_local(RobotIndex robot, const Vec3& enu, Source source, SimTime at) {
  const Vehicle& vehicle = vehicles_[robot.value()];
  if (vehicle.lost_origin) {
    return;
  }
  Vec3 begin = start_[robot.value()];
  if (vehicle.local_origin && origin_) {
    begin = plus(plus(origin_at_, enu_of(*vehicle.local_origin, *origin_)), vehicle.local_start);
  }
  move(robot, plus(begin, enu), source, at);
}

void Vehicles::move(RobotIndex robot, const Vec3& to, Source source, SimTime at) {
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
    report_(fmt::format("MAVLink: robot {} jumped from {} to {}{}", settings_.names[robot.value()],
                        metres_text(*vehicle.place), metres_text(to), refused ? ", refused" : ""));
    if (refused) {
      return;
    }
  }
  vehicle.place = to;
  vehicle.without_fix.reset();
  vehicle.source = source;
  vehicle.at = at;
  ++vehicle.counts.positions;
}

void Vehicles::take_over(const Vehicles& old) {
  auto system_ids = std::exchange(settings_.system_ids, old.settings_.system_ids);
  auto forwarders = std::exchange(settings_.forwarders, old.settings_.forwarders);
  vehicles_ = old.vehicles_;
  place_by(std::move(system_ids), std::move(forwarders));
  origin_ = old.origin_;
  origin_at_ = old.origin_at_;
  has_altitude_ = old.has_altitude_;
  homes_ = old.homes_;
  report_ = old.report_;
}

void Vehicles::scene_at(SimTime at, Scene& scene) {
  tracks_.place(at, scene);
  for (std::size_t i = 0; i < vehicles_.size(); ++i) {
    const Vehicle& vehicle = vehicles_[body_of(RobotIndex{static_cast<std::uint32_t>(i)}).value()];
    on_track_[i] = scene.robots[i].position;
    scene.robots[i].position = vehicle.place.value_or(on_track_[i]);
    if (vehicle.turned) {
      scene.robots[i].orientation = *vehicle.turned;
      scene.robots[i].oriented = true;
    }
  }
  tracks_.look(scene);
}

namespace {

using namespace std::chrono_literals;

// Autopilots send positions every second and more often, also over slow radios.
constexpr Nanoseconds kSilentAfter = 5s;
// HIGH_LATENCY2 comes every 5 s to every 67 s (PX4's stream for satellites): three of these.
constexpr Nanoseconds kRareSilentAfter = 200s;
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

Standing Vehicles::standing(RobotIndex robot, SimTime now) const {
  const Vehicle& vehicle = vehicles_[robot.value()];
  Standing standing{
      .system = vehicle.system, .place = vehicle.place, .age = Nanoseconds{0}, .clock_rate = vehicle.rate};
  const auto within = [&](SimTime at) { return now - at < patience(vehicle); };
  if (vehicle.place) {
    standing.age = std::max(now - vehicle.at, Nanoseconds{0});
    standing.state = within(vehicle.at) ? Standing::State::kHeard : Standing::State::kSilent;
  }
  if (vehicle.without_fix && within(*vehicle.without_fix) && standing.state != Standing::State::kHeard) {
    standing.state = Standing::State::kNoFix;
  }
  return standing;
}

void Vehicles::watch(SimTime now, std::optional<double> pace) {
  for (std::uint32_t i = 0; i < vehicles_.size(); ++i) {
    const Standing standing = this->standing(RobotIndex{i}, now);
    if (standing.state != vehicles_[i].told) {
      tell(RobotIndex{i}, standing);
      vehicles_[i].told = standing.state;
    }
    if (pace && vehicles_[i].rate) {
      tell_pace(RobotIndex{i}, *pace);
    }
    if (standing.state == Standing::State::kNotHeard) {
      tell_foreign(RobotIndex{i}, now);
    }
  }
}

Nanoseconds Vehicles::patience(const Vehicle& vehicle) {
  return vehicle.place && vehicle.source == Source::kHighLatency ? kRareSilentAfter : kSilentAfter;
}

// Of one that is placed by a configured system alone.
void Vehicles::tell_foreign(RobotIndex robot, SimTime now) {
  Vehicle& vehicle = vehicles_[robot.value()];
  const auto& wanted = settings_.system_ids[robot.value()];
  if (!wanted || !vehicle.foreign || vehicle.told_foreign || now - vehicle.foreign->second < kSilentAfter) {
    return;
  }
  vehicle.told_foreign = true;
  report_(fmt::format("MAVLink: robot {} is placed by system {} (`system_id`), which sends no position; system {} does",
                      settings_.names[robot.value()], *wanted, vehicle.foreign->first));
}

void Vehicles::tell_pace(RobotIndex robot, double pace) {
  Vehicle& vehicle = vehicles_[robot.value()];
  const double relative = *vehicle.rate / pace - 1;
  const bool differs = relative > kPaceTolerance || (relative < -kPaceTolerance && !vehicle.queued);
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
                        std::chrono::floor<std::chrono::seconds>(patience(vehicles_[robot.value()])).count(), stays));
  } else if (now.state == Standing::State::kNoFix) {
    report_(fmt::format("MAVLink: robot {}'s autopilot has no position fix; {} until it has", name, stays));
  } else if (now.state == Standing::State::kHeard && vehicles_[robot.value()].told != Standing::State::kNotHeard) {
    report_(fmt::format("MAVLink: robot {} sends its position again: {}", name, metres_text(*now.place)));
  }
}

}  // namespace hilgate::mavlink
