// SPDX-License-Identifier: Apache-2.0
// What lies between two members of a medium: walls, and paths that physics traced.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {

void RadioMedium::take_what_lies_between(const Scene& scene) {
  MediumTile& tile = *tile_;
  wall_batch_.clear();
  for (const std::uint32_t i : between_) {
    const Sight& sight = scene.sights[tile.pairs.pair[i]];
    if (!sight.paths.empty()) {
      tile.loss_db[i] = traced_loss(scene, i).value;
      tile.walls_db[i] = 0;
      continue;
    }
    for (const WallCrossing& wall : sight.walls) {
      if (wall_batch_.full()) {
        wall_batch_.add_losses(tile.in_use(tile.loss_db));
      }
      wall_batch_.add(wall_of(wall), wall, i);
    }
  }
  wall_batch_.add_losses(tile.in_use(tile.loss_db));
}

Decibels RadioMedium::traced_loss(const Scene& scene, std::size_t i) {
  const PairBatch& pairs = tile_->pairs;
  rays_between(scene.sights[pairs.pair[i]].paths, scene.robots[columns_.robot[tile_->low(i)]].position,
               scene.robots[columns_.robot[tile_->high(i)]].position, rays_);
  double power = 0;
  for (const TracedRay& ray : rays_) {
    // The way unfolded: as long as the ray is, between antennas at their own heights.
    PairGeometry unfolded{pairs.d2d_m[i], pairs.d3d_m[i], pairs.high_m[i], pairs.low_m[i], pairs.line_of_sight[i] != 0};
    if (ray.length_m > unfolded.d3d_m) {
      unfolded.d2d_m = std::sqrt(unfolded.d2d_m * unfolded.d2d_m +
                                 (ray.length_m - unfolded.d3d_m) * (ray.length_m + unfolded.d3d_m));
      unfolded.d3d_m = ray.length_m;
    }
    power += ratio(-path_loss(channel_.path_loss, unfolded, carrier_) - ray.transitions);
  }
  return power > 0 ? -decibels(power) : Decibels{kMostWallLossDb};
}

const WallLoss& RadioMedium::wall_of(const WallCrossing& wall) const {
  if (wall.material >= walls_.size()) {
    throw std::runtime_error(
        fmt::format("the scene names material {}; there are {}, numbered from 0", wall.material, walls_.size()));
  }
  return walls_[wall.material];
}

}  // namespace hilgate
