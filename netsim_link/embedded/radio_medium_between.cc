// SPDX-License-Identifier: Apache-2.0
// What lies between two members of a medium: walls, and paths that physics traced.
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {

void RadioMedium::take_what_lies_between(Work& work, const Scene& scene) {
  MediumTile& tile = *work.tile;
  WallBatch& batch = work.wall_batch;
  batch.clear();
  for (const std::uint32_t i : work.between) {
    const Sight& sight = *tile.sight[i];
    if (!sight.paths.empty()) {
      tile.loss_db[i] = traced_loss(work, scene, i).value;
      tile.walls_db[i] = 0;
      continue;
    }
    for (const WallCrossing& wall : sight.walls) {
      if (batch.full()) {
        batch.add_losses(tile.in_use(tile.loss_db));
      }
      batch.add(wall_of(wall), wall, i);
    }
  }
  batch.add_losses(tile.in_use(tile.loss_db));
}

Decibels RadioMedium::traced_loss(Work& work, const Scene& scene, std::size_t i) const {
  const PairBatch& pairs = work.tile->pairs;
  rays_between(work.tile->sight[i]->paths, scene.robots[columns_.robot[work.tile->low(i)]].position,
               scene.robots[columns_.robot[work.tile->high(i)]].position, work.rays);
  double power = 0;
  for (const TracedRay& ray : work.rays) {
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
