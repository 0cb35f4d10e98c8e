// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/pair_losses.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <span>
#include <stdexcept>
#include <utility>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"
#include "rf_profiles/terrain/terrain_profile.h"

namespace hilgate {
namespace {

constexpr std::uint64_t kSightSalt = 0x73'69'67'68'74'00'00'00;  // "sight"

/// A draw of sight lasts as long as the shadowing does.
Shadowing drawn_sight(const RadioChannel& channel) {
  const double correlation_m = channel.shadowing.any() ? channel.shadowing.los.correlation_m : 10;
  return channel.draws_sight ? Shadowing{{{1}, correlation_m}, {{1}, correlation_m}} : Shadowing{};
}

}  // namespace

PairLosses::PairLosses(const RadioProfile& profile, const std::vector<Material>& materials, std::size_t robots,
                       std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors)
    : channel_(profile.channel),
      carrier_(profile.phy.frequency),
      shadows_(channel_.shadowing, pair_count(robots), seed),
      sights_(drawn_sight(channel_), pair_count(robots), seed ^ kSightSalt),
      fading_(channel_.fading, carrier_.frequency(), pair_count(robots), seed) {
  if (is_selective(channel_.fading)) {
    band_ = band_of(channel_.fading, profile.phy.bandwidth);
  }
  if (floors) {
    surveyed_.emplace(std::move(floors), carrier_.frequency(), pair_count(robots), seed);
  }
  for (const Material& material : materials) {
    walls_.emplace_back(material, carrier_.frequency());
  }
  if (const auto from_m = terrain_from_m(channel_.path_loss)) {
    const double d_m = 2 * *from_m;
    static_cast<void>(path_loss(channel_.path_loss, {.d2d_m = d_m, .d3d_m = d_m, .high_m = 1, .low_m = 1}, carrier_));
  }
}

void PairLosses::look(MediumTile& tile, const Scene& scene) {
  PairBatch& pairs = tile.pairs;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const Sight& sight = scene.sights[pairs.pair[i]];
    tile.sight[i] = &sight;
    pairs.line_of_sight[i] = sight.line_of_sight ? 1 : 0;
  }
}

void PairLosses::draw_sights(MediumTile& tile, Scratch& scratch) {
  PairBatch& pairs = tile.pairs;
  const PairBatch::Column<std::uint64_t> of_scene = pairs.line_of_sight;
  pairs.line_of_sight.fill(1);  // one distance of correlation for all
  sights_.update(pairs, tile.in_use(tile.shadow_db), scratch.draws);
  for (std::size_t i = 0; i < pairs.size; ++i) {
    const double uniform = 0.5 * std::erfc(-tile.shadow_db[i] / std::sqrt(2.0));
    const double probability = line_of_sight_probability(channel_.path_loss, geometry_of(pairs, i));
    pairs.line_of_sight[i] = of_scene[i] != 0 && uniform < probability ? 1 : 0;
  }
}

void PairLosses::look_up(MediumTile& tile, const std::vector<SurveyedAir::Place>& places) {
  PairBatch& pairs = tile.pairs;
  std::array<SurveyedAir::Query, PairBatch::kMost> queries;
  for (std::size_t i = 0; i < pairs.size; ++i) {
    queries[i] = {pairs.pair[i], &places[tile.low(i)], &places[tile.high(i)]};
  }
  surveyed_->update(std::span(queries.data(), pairs.size), tile.in_use(tile.walls_db), tile.in_use(tile.fading_db));
  for (std::size_t i = 0; i < pairs.size; ++i) {
    pairs.line_of_sight[i] = pairs.line_of_sight[i] != 0 && tile.walls_db[i] == 0 ? 1 : 0;
  }
}

void PairLosses::fade_over_band(MediumTile& tile, Scratch& scratch) const {
  constexpr double kLeastPower = 1e-10;
  tile.frequencies = band_->frequencies();
  tile.gains.resize(PairBatch::kMost * tile.frequencies);
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    fading_.echoes(tile.pairs.pair[i], tile.pairs.line_of_sight[i] != 0, scratch.echoes);
    if (scratch.echoes.empty()) {
      std::ranges::fill(tile.gains_of(i), 1.0F);
    } else {
      tile.fading_db[i] = db_of(std::max(band_->gains_of(scratch.echoes, tile.gains_of(i)), kLeastPower));
    }
  }
}

void PairLosses::lose(MediumTile& tile, Scratch& scratch, const MemberColumns& members, const HeightGrid* ground) {
  shadows_.update(tile.pairs, tile.in_use(tile.shadow_db), scratch.draws);
  path_loss_db(channel_.path_loss, tile.pairs, carrier_, tile.in_use(tile.loss_db));
  if (ground != nullptr) {
    lose_over(*ground, tile, members);
  }
}

void PairLosses::lose_over(const HeightGrid& ground, MediumTile& tile, const MemberColumns& members) const {
  const bool by_terrain = terrain_from_m(channel_.path_loss).has_value();
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    if (!by_terrain && tile.sight[i]->line_of_sight) {
      continue;
    }
    const bool low_is_higher = members.height_m[tile.low(i)] > members.height_m[tile.high(i)];
    const std::size_t from = low_is_higher ? tile.low(i) : tile.high(i);
    const std::size_t to = low_is_higher ? tile.high(i) : tile.low(i);
    const auto at = [&members](std::size_t member) {
      return Vec3{members.x_m[member], members.y_m[member], members.z_m[member]};
    };
    tile.loss_db[i] = loss_over_db(ground, at(from), at(to), geometry_of(tile.pairs, i));
  }
}

double PairLosses::loss_over_db(const HeightGrid& ground, const Vec3& from, const Vec3& to, PairGeometry pair) const {
  const std::optional<double> terrain_m = terrain_from_m(channel_.path_loss);
  if (terrain_m && pair.d2d_m >= *terrain_m) {
    const TerrainProfile profile = ground_profile(ground, from, to);
    pair.terrain = &profile;
    return path_loss(channel_.path_loss, pair, carrier_).value;
  }
  return path_loss(channel_.path_loss, pair, carrier_).value +
         ground_edge_loss(ground, from, to, carrier_.frequency()).value;
}

void PairLosses::note_between(const MediumTile& tile, Scratch& scratch) {
  scratch.between.clear();
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const Sight& sight = *tile.sight[i];
    if (!sight.walls.empty() || !sight.paths.empty()) {
      scratch.between.push_back(static_cast<std::uint32_t>(i));
    }
  }
}

void PairLosses::add_between(MediumTile& tile, Scratch& scratch, const Scene& scene,
                             const MemberColumns& members) const {
  note_between(tile, scratch);
  WallBatch& batch = scratch.wall_batch;
  batch.clear();
  for (const std::uint32_t i : scratch.between) {
    const Sight& sight = *tile.sight[i];
    if (!sight.paths.empty()) {
      tile.loss_db[i] = traced_loss(tile, scratch, scene, members, i).value;
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

Decibels PairLosses::traced_loss(MediumTile& tile, Scratch& scratch, const Scene& scene, const MemberColumns& members,
                                 std::size_t i) const {
  const PairBatch& pairs = tile.pairs;
  rays_between(tile.sight[i]->paths, scene.robots[members.robot[tile.low(i)]].position,
               scene.robots[members.robot[tile.high(i)]].position, scratch.rays);
  const FadingLaw& law = pairs.line_of_sight[i] != 0 ? channel_.fading.los : channel_.fading.nlos;
  const bool by_waves = tile.frequencies > 0 && std::holds_alternative<TracedFading>(law);
  const double per_m = carrier_.hz / kLightSpeed;
  scratch.echoes.clear();
  double power = 0;
  for (const TracedRay& ray : scratch.rays) {
    // The way unfolded: as long as the ray is, between antennas at their own heights.
    PairGeometry unfolded = geometry_of(pairs, i);
    if (ray.length_m > unfolded.d3d_m) {
      unfolded.d2d_m = std::sqrt(unfolded.d2d_m * unfolded.d2d_m +
                                 (ray.length_m - unfolded.d3d_m) * (ray.length_m + unfolded.d3d_m));
      unfolded.d3d_m = ray.length_m;
    }
    const double of_ray = ratio(-path_loss(channel_.path_loss, unfolded, carrier_) - ray.transitions);
    power += of_ray;
    const CirclePoint phase = circle_at(-ray.length_m * per_m);
    scratch.echoes.push_back({std::sqrt(of_ray) * std::complex<double>(phase.cosine, phase.sine),
                              (ray.length_m - pairs.d3d_m[i]) / kLightSpeed});
  }
  if (by_waves) {
    power = band_->gains_of(scratch.echoes, tile.gains_of(i));
  }
  return power > 0 ? -decibels(power) : Decibels{kMostWallLossDb};
}

const WallLoss& PairLosses::wall_of(const WallCrossing& wall) const {
  if (wall.material >= walls_.size()) {
    throw std::runtime_error(
        fmt::format("the scene names material {}; there are {}, numbered from 0", wall.material, walls_.size()));
  }
  return walls_[wall.material];
}

Decibels PairLosses::between(const Vec3& from, const Vec3& to, const Obstacles& obstacles, PairBase base) {
  crossings_.clear();
  const bool blocked = obstacles.append_between({from, to}, crossings_);
  const double from_m = obstacles.above_ground(from);
  const double to_m = obstacles.above_ground(to);
  const PairGeometry pair{.d2d_m = std::hypot(to.x - from.x, to.y - from.y),
                          .d3d_m = distance_m(to, from),
                          .high_m = std::max(to_m, from_m),
                          .low_m = std::min(to_m, from_m),
                          .line_of_sight = !blocked,
                          .base = base};
  const HeightGrid* const ground = obstacles.ground().get();
  Decibels loss = ground == nullptr ? path_loss(channel_.path_loss, pair, carrier_)
                  : from_m > to_m   ? Decibels{loss_over_db(*ground, from, to, pair)}
                                    : Decibels{loss_over_db(*ground, to, from, pair)};
  for (const WallCrossing& wall : crossings_) {
    loss += Decibels{wall_of(wall).db(wall)};
  }
  return loss;
}

}  // namespace hilgate
