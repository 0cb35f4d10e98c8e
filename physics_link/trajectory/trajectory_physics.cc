// SPDX-License-Identifier: Apache-2.0
#include "physics_link/trajectory/trajectory_physics.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
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

constexpr float kNotLooked = -2;
constexpr float kLastsWhileStanding = -1;

/// Of all that has ever been written; none is 0.
std::uint64_t next_mark() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

// A little more or less than the nearest number: by a unit in its last place, which is 1 mm after 10 km.
float rounded_up(double metres) {
  return std::nextafter(static_cast<float>(metres), std::numeric_limits<float>::infinity());
}
float rounded_down(double metres) {
  return std::nextafter(static_cast<float>(metres), -std::numeric_limits<float>::infinity());
}

// Pairs that are looked at in one window, at first or where all have moved at one speed, must not all be in a later
// one.
double part_of_stay(std::size_t pair, bool is_first) {
  const double part = static_cast<double>(static_cast<std::uint32_t>(pair) * 0x9E37'79B9U) / 4294967296.0;
  return is_first ? part : 1 - part / 4;
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
  if (obstacles_.buildings() == nullptr) {
    look_at_all(scene);
    return;
  }
  if (mark_ == 0 || scene.sights.mark() != mark_) {
    looked_.clear();
  }
  add_ways(scene);
  look_at_moved(scene);
  mark_ = next_mark();
  scene.sights.mark(mark_);
}

// Pairs are numbered by their higher end first, then by the lower.
void TrajectoryPhysics::look_at_all(Scene& scene) {
  std::size_t pair = 0;
  for (std::size_t high = 1; high < scene.robots.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low, ++pair) {
      if (here_.empty() || here_[high] || here_[low]) {
        look_along({scene.robots[low].position, scene.robots[high].position}, pair, scene.sights);
      }
    }
  }
}

void TrajectoryPhysics::add_ways(const Scene& scene) {
  const bool is_first = looked_.empty();
  if (is_first) {
    lasts_.assign(pair_count(scene.robots.size()), {kNotLooked, kNotLooked});
    ways_m_.assign(scene.robots.size(), 0);
    gone_m_.assign(scene.robots.size(), 0);
    moved_.assign(scene.robots.size(), 1);
    looked_.resize(scene.robots.size());
  }
  for (std::size_t i = 0; i < scene.robots.size(); ++i) {
    const Vec3& place = scene.robots[i].position;
    ways_m_[i] += is_first ? 0 : distance_m(looked_[i], place);
    moved_[i] = is_first || looked_[i] != place ? 1 : 0;
    gone_m_[i] = rounded_up(ways_m_[i]);
    looked_[i] = place;
  }
}

void TrajectoryPhysics::look_at_moved(Scene& scene) {
  std::size_t pair = 0;
  for (std::size_t high = 1; high < scene.robots.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low, ++pair) {
      const Lasts& until = lasts_[pair];
      const bool lasts = (gone_m_[low] <= until.low_m && gone_m_[high] <= until.high_m) ||
                         (until.low_m == kLastsWhileStanding && moved_[low] == 0 && moved_[high] == 0);
      if (!lasts && (here_.empty() || here_[high] || here_[low])) {
        const Segment ray{scene.robots[low].position, scene.robots[high].position};
        keep(low, high, pair, look_along(ray, pair, scene.sights));
      }
    }
  }
}

void TrajectoryPhysics::keep(std::size_t low, std::size_t high, std::size_t pair, double stays_m) {
  if (!(stays_m > 0)) {
    lasts_[pair] = {kLastsWhileStanding, kLastsWhileStanding};
    return;
  }
  const double part_m = stays_m * part_of_stay(pair, lasts_[pair].low_m == kNotLooked);
  lasts_[pair] = {rounded_down(ways_m_[low] + part_m), rounded_down(ways_m_[high] + part_m)};
}

double TrajectoryPhysics::look_along(const Segment& ray, std::size_t pair, Sights& sights) {
  double stays_m = 0;
  walls_.clear();
  if (!obstacles_.append_between(ray, walls_, stays_m)) {
    sights.open(pair);
    return stays_m;
  }
  Sight& sight = sights[pair];
  sight.line_of_sight = false;
  sight.walls.assign(walls_.begin(), walls_.end());
  sight.paths.clear();
  return stays_m;
}

}  // namespace hilgate
