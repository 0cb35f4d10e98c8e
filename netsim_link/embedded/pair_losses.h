// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "netsim_link/embedded/medium_tile.h"
#include "netsim_link/embedded/surveyed_air.h"
#include "physics_link/obstacles.h"
#include "physics_link/scene.h"
#include "physics_link/traced_path.h"
#include "rf_profiles/fading/fading.h"
#include "rf_profiles/profile/radio_profile.h"
#include "rf_profiles/propagation/material.h"
#include "rf_profiles/propagation/shadowing.h"

namespace hilgate {

/// What a medium loses between two antennas: path loss, walls, shadowing and fading, the same both ways. Several
/// threads may call it for different pairs, each with its own Scratch.
class PairLosses {
 public:
  /// Pairs are numbered as in the scene, so that a pair's shadowing does not depend on the other members of the medium.
  PairLosses(const RadioProfile& profile, const std::vector<Material>& materials, std::size_t robots,
             std::uint64_t seed, std::shared_ptr<const SurveyedFloors> floors);

  [[nodiscard]] const RadioChannel& channel() const { return channel_; }
  [[nodiscard]] const Carrier& carrier() const { return carrier_; }
  [[nodiscard]] ShadowField& shadows() { return shadows_; }
  [[nodiscard]] const ShadowField& shadows() const { return shadows_; }
  [[nodiscard]] FadingField& fading() { return fading_; }
  [[nodiscard]] const FadingField& fading() const { return fading_; }
  /// Null without surveyed floors.
  [[nodiscard]] const SurveyedAir* survey() const { return surveyed_ ? &*surveyed_ : nullptr; }

  /// What one thread works with.
  struct Scratch {
    std::vector<std::uint32_t> between;  // pairs of the tile with walls or traced paths
    WallBatch wall_batch;
    std::vector<TracedRay> rays;  // of one pair, while its loss is computed
    std::vector<Echo> echoes;     // likewise
    ShadowField::Scratch draws;
  };
  /// Fetches from memory what is kept of a pair.
  void expect(std::uint32_t pair) const {
    shadows_.expect(pair);
    fading_.expect(pair);
  }
  /// What lies between the tile's pairs, as the scene has it.
  static void look(MediumTile& tile, const Scene& scene);
  /// Draws line of sight for pairs without obstacles between them, where the channel defines its probability.
  void draw_sights(MediumTile& tile, Scratch& scratch);
  /// Walls and fading of a survey, instead of the scene's and the channel's.
  void look_up(MediumTile& tile, const std::vector<SurveyedAir::Place>& places);
  /// Fading, and where it differs over the band, its gains there; `passed_s` since the last scene.
  void fade(MediumTile& tile, Scratch& scratch, double passed_s) {
    fading_.update(tile.pairs, passed_s, tile.in_use(tile.fading_db));
    if (band_) {
      fade_over_band(tile, scratch);
    }
  }
  /// Shadowing and path loss; of pairs whose line of sight the ground blocks, its edge. `ground`: null without terrain.
  void lose(MediumTile& tile, Scratch& scratch, const MemberColumns& members, const HeightGrid* ground);
  /// Walls and traced paths.
  void add_between(MediumTile& tile, Scratch& scratch, const Scene& scene, const MemberColumns& members) const;

  /// Path loss and walls from one point to another, without shadowing and fading, which are of pairs of radios.
  [[nodiscard]] Decibels between(const Vec3& from, const Vec3& to, const Obstacles& obstacles, PairBase base);

 private:
  void lose_over(const HeightGrid& ground, MediumTile& tile, const MemberColumns& members) const;
  /// From one antenna to the other, over that ground.
  [[nodiscard]] double loss_over_db(const HeightGrid& ground, const Vec3& from, const Vec3& to,
                                    PairGeometry pair) const;
  static void note_between(const MediumTile& tile, Scratch& scratch);
  void fade_over_band(MediumTile& tile, Scratch& scratch) const;
  /// Of pair `i` of the tile, whose traced paths' powers add, or with TracedFading their waves: each spreads over its
  /// own length by the channel's path loss and pays its transitions. Replaces the path loss and the walls.
  [[nodiscard]] Decibels traced_loss(MediumTile& tile, Scratch& scratch, const Scene& scene,
                                     const MemberColumns& members, std::size_t i) const;
  [[nodiscard]] const WallLoss& wall_of(const WallCrossing& wall) const;

  std::vector<WallLoss> walls_;
  RadioChannel channel_;
  Carrier carrier_;
  ShadowField shadows_;
  ShadowField sights_;  // standard normal; with the probability, decides whether a pair has line of sight
  FadingField fading_;
  std::optional<Band> band_;  // where fading differs over it
  std::optional<SurveyedAir> surveyed_;
  std::vector<WallCrossing> crossings_;  // of between()
};

}  // namespace hilgate
