// SPDX-License-Identifier: Apache-2.0
#include "physics_link/trajectory/trajectory_physics.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace hilgate {
namespace {

void check(const Obstacle& obstacle, std::size_t index) {
  const Box& box = obstacle.box;
  // Written so that a coordinate which is no number fails too.
  if (!(box.low.x < box.high.x && box.low.y < box.high.y && box.low.z < box.high.z)) {
    throw std::runtime_error(fmt::format(
        "obstacle {} is empty: from ({}, {}, {}) m to ({}, {}, {}) m; max must be larger than min on every axis", index,
        box.low.x, box.low.y, box.low.z, box.high.x, box.high.y, box.high.z));
  }
  if (obstacle.wall_m && !(*obstacle.wall_m > 0)) {
    throw std::runtime_error(
        fmt::format("obstacle {} has walls of {} m; the thickness must be above 0", index, *obstacle.wall_m));
  }
}

}  // namespace

TrajectoryPhysics::TrajectoryPhysics(std::vector<Track> tracks, Obstacles obstacles, std::vector<bool> here)
    : obstacles_(std::move(obstacles)), here_(std::move(here)) {
  for (Track& track : tracks) {
    tracks_.emplace_back(std::move(track), "robot " + std::to_string(tracks_.size()));
  }
  for (std::size_t i = 0; i < obstacles_.boxes().size(); ++i) {
    check(obstacles_.boxes()[i], i);
  }
}

SimTime TrajectoryPhysics::still_until(SimTime at) const {
  SimTime until = SimTime::max();
  for (const TrackCursor& track : tracks_) {
    until = std::min(until, track.still_until(at));
  }
  return until;
}

void TrajectoryPhysics::place(SimTime at, Scene& scene) {
  scene.at = at;
  scene.robots.resize(tracks_.size());
  for (std::size_t i = 0; i < tracks_.size(); ++i) {
    scene.robots[i] = tracks_[i].pose_at(at);
  }
}

void TrajectoryPhysics::look(Scene& scene) {
  if (obstacles_.empty()) {
    scene.sights.open_all(pair_count(scene.robots.size()));
    return;
  }
  scene.sights.resize(pair_count(scene.robots.size()));
  std::size_t pair = 0;  // pairs are numbered by their higher end first, then by the lower
  for (std::size_t high = 1; high < scene.robots.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low, ++pair) {
      if (here_.empty() || here_[high] || here_[low]) {
        look_along({scene.robots[low].position, scene.robots[high].position}, pair, scene.sights);
      }
    }
  }
}

void TrajectoryPhysics::look_along(const Segment& ray, std::size_t pair, Sights& sights) {
  walls_.clear();
  if (!obstacles_.append_between(ray, walls_)) {
    sights.open(pair);
    return;
  }
  Sight& sight = sights[pair];
  sight.line_of_sight = false;
  sight.walls.assign(walls_.begin(), walls_.end());
  sight.paths.clear();
}

}  // namespace hilgate
