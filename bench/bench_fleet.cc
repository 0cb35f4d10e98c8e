// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_fleet.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "rf_profiles/numeric/random.h"

namespace hilgate {
namespace {

constexpr double kSpeed = 5;  // m/s
constexpr std::uint32_t kRoom = 8;

/// Moves on, and turns back where it would leave [low, low + size].
void move_within(double& at, double& step, double low, double size) {
  at += step;
  if (at < low || at > low + size) {
    step = -step;
    at += 2 * step;
  }
}

/// Walls around rooms of 8 cells, with a door in the middle of each wall inside.
GridMap rooms(std::uint32_t cells) {
  GridMap map;
  map.width = map.height = cells;
  map.cell_m = 0.5;
  map.materials = {{.name = "free", .colour = 0xFFFFFF},
                   {.name = "brick", .colour = 0, .loss_db = 6, .wall = true, .permittivity = 4.44}};
  for (std::uint32_t y = 0; y < cells; ++y) {
    for (std::uint32_t x = 0; x < cells; ++x) {
      const bool edge = x == 0 || y == 0 || x + 1 == cells || y + 1 == cells;
      const bool across = x % kRoom == 0 && y % kRoom != kRoom / 2;
      const bool along = y % kRoom == 0 && x % kRoom != kRoom / 2;
      map.cells.push_back(edge || across || along ? 1 : 0);
    }
  }
  return map;
}

}  // namespace

BenchFleet::BenchFleet(std::size_t robots, const BenchField& field, bool walled, Nanoseconds window)
    : field_(field), window_(window) {
  const double step_m = kSpeed * std::chrono::duration<double>(window).count();
  FrameRandom random(1, 0, 0);
  for (std::size_t i = 0; i < robots; ++i) {
    const double x = field.x_m + field.width_m * random.uniform();
    const double y = field.y_m + field.height_m * random.uniform();
    scene_.robots.push_back({{x, y, 1 + 20 * random.uniform()}, {}});
    const double heading = 2 * std::numbers::pi * random.uniform();
    steps_.push_back({step_m * std::cos(heading), step_m * std::sin(heading), 0});
  }
  scene_.sights.resize(pair_count(robots));
  constexpr std::size_t kEvery = 5;
  for (std::size_t i = 0; walled && i < scene_.sights.size(); i += kEvery) {
    scene_.sights[i].line_of_sight = false;
    scene_.sights[i].walls.push_back({0, 0.2, 0.5});
  }
}

const Scene& BenchFleet::step() {
  scene_.at += window_;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    Vec3& position = scene_.robots[i].position;
    move_within(position.x, steps_[i].x, field_.x_m, field_.width_m);
    move_within(position.y, steps_[i].y, field_.y_m, field_.height_m);
  }
  return scene_;
}

std::shared_ptr<const Survey> survey_of_rooms(std::uint32_t cells) {
  const GridMap map = rooms(cells);
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / fmt::format("hilgate-bench-{}.survey", ::getpid());
  SurveyWork work(map, file.string(), {});
  for (std::uint64_t unit = 0; unit < work.units(); ++unit) {
    work.work(unit);
  }
  auto survey = std::make_shared<const Survey>(map, file.string());
  std::filesystem::remove(file);
  return survey;
}

BenchField field_of(const GridMap& map) {
  return {map.origin_x_m, map.origin_y_m, map.width * map.cell_m, map.height * map.cell_m};
}

}  // namespace hilgate
