// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/map/map.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

#include "config/nearest.h"
#include "gateway/configuration/bodies.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/views/map/scene_picture.h"
#include "host/process.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

constexpr double kCellsAcross = 160;
constexpr std::size_t kMostCells = 250'000;
constexpr double kLeastMargin = 10;  // m

/// A transmitter: robot or access point.
struct Sender {
  std::string name, radio;
  Pose pose;
  AntennaMount mount;
};

// The robots that the configured physics moves, with their positions at that time.
std::vector<PicturedTrack> tracks_of(const Configuration& configuration, SimTime at) {
  std::vector<PicturedTrack> tracks;
  const Bodies bodies(configuration.robots);
  for (std::size_t body = 0; configuration.physics && body < bodies.size(); ++body) {
    const Track& track = configuration.physics->tracks[bodies.first_radio(body).value()];
    const std::string& name = bodies.names()[body];
    tracks.push_back({.name = name, .waypoints = {}, .place = TrackCursor(track, name).at(at)});
    std::ranges::transform(track, std::back_inserter(tracks.back().waypoints), &Waypoint::position);
  }
  return tracks;
}

std::vector<Sender> senders_of(const Configuration& configuration, SimTime at) {
  std::vector<Sender> senders;
  const AccessNetworkConfig* network = access_network(configuration);
  for (std::size_t i = 0; network != nullptr && i < network->access_points.size(); ++i) {
    const AccessPointConfig& point = network->access_points[i];
    if (!point.robot) {
      senders.push_back({point.name, point.radio, Pose{point.position, {}, true}, point.antenna});
    }
  }
  for (std::size_t i = 0; configuration.physics && i < configuration.physics->tracks.size(); ++i) {
    const RobotConfig& robot = configuration.robots[i];
    if (!robot.radio.empty()) {
      senders.push_back({robot.name, robot.radio, TrackCursor(configuration.physics->tracks[i], robot.name).pose_at(at),
                         robot.antenna});
    }
  }
  return senders;
}

const Sender& chosen(const std::vector<Sender>& senders, const std::string& name) {
  if (name.empty()) {
    return senders.front();
  }
  const auto found = std::ranges::find(senders, name, &Sender::name);
  if (found == senders.end()) {
    std::vector<std::string> names;
    std::ranges::transform(senders, std::back_inserter(names), &Sender::name);
    throw std::runtime_error(
        fmt::format("--from {}: no robot or access point with a radio and a place; {}", name, hint_for(name, names)));
  }
  return *found;
}

class Extent {
 public:
  void add(const Vec3& place) {
    low_ = {std::min(low_.x, place.x), std::min(low_.y, place.y), 0};
    high_ = {std::max(high_.x, place.x), std::max(high_.y, place.y), 0};
  }
  [[nodiscard]] bool empty() const { return low_.x > high_.x; }
  [[nodiscard]] CellGrid grid(const MapOptions& options) const {
    const double size = std::max(high_.x - low_.x, high_.y - low_.y);
    const double margin = options.margin_m.value_or(std::max(kLeastMargin, size / 10));
    const double cell = options.cell_m.value_or((size + 2 * margin) / kCellsAcross);
    const auto cells = [&](double length) { return std::max(1.0, std::ceil((length + 2 * margin) / cell - 1e-9)); };
    const double columns = cells(high_.x - low_.x);
    const double rows = cells(high_.y - low_.y);
    if (columns * rows > static_cast<double>(kMostCells)) {
      throw std::runtime_error(
          fmt::format("{:.0f} x {:.0f} cells of {:g} m are more than {}; use a larger --cell or a smaller --margin",
                      columns, rows, cell, kMostCells));
    }
    return {low_.x - margin, low_.y - margin, cell, static_cast<std::size_t>(columns), static_cast<std::size_t>(rows)};
  }

 private:
  Vec3 low_{HUGE_VAL, HUGE_VAL, 0};
  Vec3 high_{-HUGE_VAL, -HUGE_VAL, 0};
};

Extent extent_of(const ScenePicture& picture) {
  Extent extent;
  for (const PicturedBox& obstacle : picture.obstacles) {
    extent.add(obstacle.box.low);
    extent.add(obstacle.box.high);
  }
  for (const PicturedBuilding& building : picture.buildings) {
    std::ranges::for_each(building.rings.front(), [&extent](const GroundPoint& each) {
      extent.add({each.x, each.y, 0});
    });
  }
  for (const PicturedTrack& track : picture.tracks) {
    std::ranges::for_each(track.waypoints, [&extent](const Vec3& each) { extent.add(each); });
  }
  for (const PicturedPoint& point : picture.access_points) {
    extent.add(point.place);
  }
  if (picture.plan != nullptr) {
    const GridMap& plan = *picture.plan;
    extent.add({plan.origin_x_m, plan.origin_y_m, 0});
    extent.add({plan.origin_x_m + plan.width * plan.cell_m, plan.origin_y_m + plan.height * plan.cell_m, 0});
  }
  return extent;
}

std::shared_ptr<const RadioProfile> profile_of(const Configuration& configuration, const std::string& name) {
  return std::make_shared<const RadioProfile>(
      load_radio_profile(find_radio_profile(name, profile_folders(configuration.profile_paths))));
}

PicturedCoverage coverage_by(const Configuration& configuration, const MapOptions& options, const Sender& sender,
                             const CellGrid& area, std::shared_ptr<const SurveyedFloors> floors) {
  const auto radio = profile_of(configuration, sender.radio);
  const auto receiver =
      options.radio.empty() || options.radio == sender.radio ? radio : profile_of(configuration, options.radio);
  const bool snr = options.show == MapOptions::Show::kSnr;
  return {.title =
              fmt::format("{} of {} ({}), received {:g} m above ground{}", snr ? "SNR" : "Loss of a try", sender.name,
                          sender.radio, options.height_m, receiver == radio ? "" : fmt::format(" by {}", receiver->id)),
          .value = snr ? CoverageValue::kSnr : CoverageValue::kLoss,
          .cells = coverage_of({.sender = radio,
                                .from = sender.pose,
                                .mount = sender.mount,
                                .receiver = receiver,
                                .height_m = options.height_m,
                                .obstacles = obstacles_of(configuration),
                                .materials = materials_of(configuration),
                                .floors = std::move(floors)},
                               area)};
}

ScenePicture scene_of(const Configuration& configuration, SimTime at) {
  ScenePicture picture{.title = fmt::format("{}, at {:g} s", configuration.name, seconds_of(at.time_since_epoch()))};
  for (const ObstacleConfig& obstacle : configuration.world.obstacles) {
    picture.obstacles.push_back(
        {obstacle.name, obstacle.obstacle.box, configuration.world.materials[obstacle.obstacle.material].name});
  }
  if (configuration.world.scene.buildings) {
    for (const GeoBuilding& each : configuration.world.scene.surveyed->buildings) {
      picture.buildings.push_back({each.name, each.rings, each.base_m, each.top_m, each.material});
    }
  }
  picture.tracks = tracks_of(configuration, at);
  if (const AccessNetworkConfig* network = access_network(configuration); network != nullptr) {
    for (const AccessPointConfig& point : network->access_points) {
      if (!point.robot) {
        picture.access_points.push_back({point.name, point.position});
      }
    }
  }
  return picture;
}

std::string drawn(const Configuration& configuration, const MapOptions& options) {
  const SimTime at{options.at};
  ScenePicture picture = scene_of(configuration, at);
  const auto* embedded = std::get_if<EmbeddedConfig>(&configuration.netsim);
  const auto floors = embedded != nullptr && embedded->map ? open_floors(embedded->map->string()) : nullptr;
  picture.plan = floors ? &floors->map(floors->floor_at(options.height_m)) : nullptr;
  const Extent extent = extent_of(picture);
  if (extent.empty()) {
    throw std::runtime_error(
        fmt::format("{}: nothing to draw: it has no obstacles, no tracks, no fixed access points and no floor plan",
                    configuration.file.string()));
  }
  picture.area = extent.grid(options);
  const std::vector<Sender> senders = senders_of(configuration, at);
  if (options.show != MapOptions::Show::kNothing && (!senders.empty() || !options.from.empty())) {
    picture.coverage = coverage_by(configuration, options, chosen(senders, options.from), picture.area, floors);
  }
  return scene_svg(picture);
}

void write_file(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary);
  out << text;
  out.close();
  if (!out) {
    throw std::runtime_error(fmt::format("{}: cannot be written", file.string()));
  }
}

void write_png(const std::filesystem::path& file, const std::string& svg) {
  std::filesystem::path drawing = file;
  drawing += ".svg";
  write_file(drawing, svg);
  ProcessResult result{.status = 127, .errors = ""};
  try {
    result = run_process(
        std::vector<std::string>{"rsvg-convert", "--format", "png", "--output", file.string(), drawing.string()});
  } catch (const std::runtime_error&) {
    result.errors = "rsvg-convert is not here; install librsvg2-bin, or write an .svg";
  }
  std::filesystem::remove(drawing);
  if (result.status != 0) {
    throw std::runtime_error(fmt::format("{}: {}", file.string(), result.errors));
  }
}

}  // namespace

int map_command(const MapOptions& options) {
  const auto form = options.output.extension();
  if (!options.output.empty() && form != ".svg" && form != ".png") {
    throw std::runtime_error(fmt::format("-o {}: a picture is a .svg or a .png", options.output.string()));
  }
  const std::string svg = drawn(load_configuration(options.file, known_names()), options);
  if (options.output.empty()) {
    fmt::print("{}", svg);
  } else if (form == ".svg") {
    write_file(options.output, svg);
  } else {
    write_png(options.output, svg);
  }
  return 0;
}

}  // namespace hilgate
