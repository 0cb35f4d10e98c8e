// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "config/plain_text.h"
#include "physics_link/foreign_numbers.h"
#include "physics_link/tracklog/log_formats.h"

namespace hilgate {
namespace {

using mavlink::Geodetic;
using Json = nlohmann::json;

/// Commands of MAVLink that move a vehicle or make it wait (mavlink.io, common.xml, MAV_CMD).
enum class PlanStep : std::uint8_t { kGo, kLoiter, kTurns, kReturn, kLand, kWait, kSpeed };
struct PlanCommand {
  int number;
  PlanStep step;
};
constexpr std::array kPlanCommands = {
    PlanCommand{16, PlanStep::kGo},     PlanCommand{17, PlanStep::kGo},     PlanCommand{18, PlanStep::kTurns},
    PlanCommand{19, PlanStep::kLoiter}, PlanCommand{20, PlanStep::kReturn}, PlanCommand{21, PlanStep::kLand},
    PlanCommand{22, PlanStep::kGo},     PlanCommand{31, PlanStep::kGo},     PlanCommand{82, PlanStep::kGo},
    PlanCommand{84, PlanStep::kGo},     PlanCommand{85, PlanStep::kLand},   PlanCommand{93, PlanStep::kWait},
    PlanCommand{178, PlanStep::kSpeed}};

/// What is wrong with a plan, without its place.
struct PlanFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A flight of a plan, item by item, at its speed and without acceleration.
class PlanReader {
 public:
  PlanReader(std::string_view text, const std::string& file)
      : text_(text),
        name_(std::filesystem::path(file).stem().string()),
        log_(file, "QGroundControl plan", LogClock::kSimulation, LogBuilder::Counts::kLines) {}
  TrackLog read();

 private:
  void read_plan(const Json& plan);
  void read_speed(const Json& mission);
  void take_item(const Json& item);
  void take_simple(const Json& item);
  void take_step(PlanStep step, int command, const Json& item);
  [[nodiscard]] static double number(const Json& value, double most);
  [[nodiscard]] static double param(const Json& item, std::size_t at, double most);
  [[nodiscard]] Geodetic place_of(const Json& item);
  void go_to(const Geodetic& to);
  void wait(double seconds);
  void add();

  std::string_view text_;
  std::string name_;
  LogBuilder log_;
  std::size_t index_ = 0;  // of items, from 1
  Geodetic home_{}, here_{};
  double seconds_ = 0;
  double speed_m_s_ = 0;
};

TrackLog PlanReader::read() {
  const Json plan = Json::parse(text_, nullptr, false);
  try {
    if (plan.is_discarded()) {
      throw PlanFault("is no whole JSON");
    }
    read_plan(plan);
  } catch (const Json::exception& error) {
    log_.fault(0, fmt::format("is not as QGroundControl writes plans{}: {}",
                              index_ > 0 ? fmt::format(", in item {}", index_) : "", error.what()));
  } catch (const PlanFault& fault) {
    log_.fault(0, index_ > 0 ? fmt::format("item {} {}", index_, fault.what()) : fault.what());
  }
  return log_.finish("has no mission items with positions");
}

double PlanReader::number(const Json& value, double most) {
  const double given = value.is_null() ? 0 : value.get<double>();  // null: not given
  if (!(std::abs(given) <= most)) {
    throw PlanFault(fmt::format("has {:g}, which is out of range; allowed: within {:g}", given, most));
  }
  return given;
}

double PlanReader::param(const Json& item, std::size_t at, double most) {
  return number(item.at("params").at(at), most);
}

void PlanReader::read_plan(const Json& plan) {
  const Json& mission = plan.at("mission");
  const Json& home = mission.at("plannedHomePosition");
  home_ = {number(home.at(0), 90), number(home.at(1), 180), number(home.at(2), kWorldReach)};
  here_ = home_;
  read_speed(mission);
  add();
  for (const Json& item : mission.at("items")) {
    ++index_;
    take_item(item);
  }
  log_.note(
      fmt::format("a planned flight, not a log: straight lines without acceleration, {:g} m/s at first", speed_m_s_));
}

// As QGroundControl plans: aeroplanes, VTOLs and vehicles on ground and water cruise, others hover.
void PlanReader::read_speed(const Json& mission) {
  constexpr std::array kCruising = {1, 7, 8, 10, 11, 12, 16, 19, 20, 21, 22, 23, 24, 25};  // MAV_TYPE
  const int type = mission.value("vehicleType", 2);
  const char* const key = std::ranges::find(kCruising, type) != kCruising.end() ? "cruiseSpeed" : "hoverSpeed";
  speed_m_s_ = number(mission.at(key), 1e4);
  if (!(speed_m_s_ > 0)) {
    throw PlanFault(fmt::format("has the {} {:g}; a speed above 0 m/s is needed", key, speed_m_s_));
  }
}

void PlanReader::take_item(const Json& item) {
  const auto type = item.at("type").get<std::string>();
  if (type == "SimpleItem") {
    return take_simple(item);
  }
  // Surveys and other transects have their items made out.
  const auto transect = item.find("TransectStyleComplexItem");
  if (transect == item.end() || !transect->contains("Items")) {
    return log_.leave_out(
        fmt::format("complex items of the type {}", shown(item.value("complexItemType", std::string("?")))));
  }
  for (const Json& simple : transect->at("Items")) {
    take_simple(simple);
  }
}

void PlanReader::take_simple(const Json& item) {
  const int command = item.at("command").get<int>();
  const auto known = std::ranges::find(kPlanCommands, command, &PlanCommand::number);
  if (known == kPlanCommands.end()) {
    return log_.leave_out(fmt::format("commands {}, which neither move nor hold", command));
  }
  take_step(known->step, command, item);
}

void PlanReader::take_step(PlanStep step, int command, const Json& item) {
  constexpr double kMostHold = 1e6;  // s
  switch (step) {
    case PlanStep::kGo:
      go_to(place_of(item));
      if (command == 16) {
        wait(param(item, 0, kMostHold));
      }
      break;
    case PlanStep::kLoiter:
      go_to(place_of(item));
      wait(param(item, 0, kMostHold));
      break;
    case PlanStep::kTurns: {
      go_to(place_of(item));
      const double around_m = 2 * M_PI * std::abs(param(item, 2, 1e5));
      wait(std::abs(param(item, 0, 1e4)) * around_m / speed_m_s_);
      log_.leave_out("circles: the vehicle waits in the middle for as long");
      break;
    }
    case PlanStep::kReturn:
      go_to({home_.lat_deg, home_.lon_deg, here_.alt_m});
      go_to(home_);
      break;
    case PlanStep::kLand: {
      const Geodetic ground = place_of(item);
      go_to({ground.lat_deg, ground.lon_deg, here_.alt_m});
      go_to(ground);
      break;
    }
    case PlanStep::kWait:
      wait(std::max(0.0, param(item, 0, kMostHold)));
      break;
    case PlanStep::kSpeed:
      if (const double speed = param(item, 1, 1e4); speed > 0) {
        speed_m_s_ = speed;
      }
      break;
  }
}

// Zeros, or none, are where the vehicle is. Altitudes of other frames than MAV_FRAME_GLOBAL are above home.
Geodetic PlanReader::place_of(const Json& item) {
  constexpr int kSeaLevel = 0, kSeaLevelInt = 5, kTerrain = 10, kTerrainInt = 11;
  const int frame = item.value("frame", 3);
  const double lat = param(item, 4, 90);
  const double lon = param(item, 5, 180);
  const double alt = param(item, 6, kWorldReach);
  if (frame == kTerrain || frame == kTerrainInt) {
    log_.leave_out("heights of the terrain: altitudes above it are taken above home");
  }
  const bool stays = lat == 0 && lon == 0;
  return {stays ? here_.lat_deg : lat, stays ? here_.lon_deg : lon,
          frame == kSeaLevel || frame == kSeaLevelInt ? alt : home_.alt_m + alt};
}

void PlanReader::go_to(const Geodetic& to) {
  const Vec3 way = mavlink::enu_of(to, here_);
  here_ = to;
  seconds_ += std::hypot(way.x, way.y, way.z) / speed_m_s_;
  add();
}

void PlanReader::wait(double seconds) {
  if (seconds > 0) {
    seconds_ += seconds;
    add();
  }
}

void PlanReader::add() {
  constexpr double kLongest = std::chrono::duration<double>(kLongestRun).count();
  if (!(seconds_ <= kLongest)) {
    throw PlanFault(fmt::format("is reached after {:g} s; allowed: up to {:g} s", seconds_, kLongest));
  }
  log_.add(name_, Nanoseconds{std::llround(seconds_ * 1e9)}, here_, 0);
}

}  // namespace

TrackLog parse_qgc_plan(std::string_view text, const std::string& file) {
  return PlanReader(text, file).read();
}

}  // namespace hilgate
