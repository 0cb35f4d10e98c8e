// SPDX-License-Identifier: Apache-2.0
// Many pairs at once are to get what each would get by itself, to the last bit, in whatever company.
#include "rf_profiles/propagation/pair_batch.h"

#include <gtest/gtest.h>

#include <memory>

#include "config/model_table.h"
#include "rf_profiles/fading/fading.h"
#include "rf_profiles/numeric/normal.h"
#include "rf_profiles/path_loss/path_loss.h"
#include "rf_profiles/propagation/shadowing.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kBatchPairs = 131;  // no whole number of vectors

/// `highest_m` above the ground.
std::unique_ptr<PairBatch> batch(double highest_m) {
  FrameRandom random(5, 0, 0);
  auto pairs = std::make_unique<PairBatch>();
  pairs->size = kBatchPairs;
  for (std::size_t i = 0; i < kBatchPairs; ++i) {
    pairs->pair[i] = static_cast<std::uint32_t>((i * 37) % kBatchPairs);
    const double low_m = highest_m * random.uniform();
    pairs->low_m[i] = low_m;
    pairs->high_m[i] = low_m + (highest_m - low_m) * random.uniform();
    pairs->d2d_m[i] = 2000 * random.uniform() * random.uniform();
    pairs->d3d_m[i] = std::hypot(pairs->d2d_m[i], pairs->high_m[i] - low_m);
    pairs->moved_m[i] = pairs->stride_m[i] = i % 3 == 0 ? 0 : 2 * random.uniform();
    pairs->line_of_sight[i] = i % 5 == 0 ? 0 : 1;
    pairs->base[i] = i % 3;
  }
  return pairs;
}

TEST(PairBatch, PathLossIsThatOfEveryPair) {
  const Carrier carrier(Hertz{2.412e9});
  for (const double highest_m : {9.0, 60.0}) {
    const auto pairs = batch(highest_m);
    for (const auto& [model_name, model] : models_by_name<PathLossModel>()) {
      std::vector<double> losses(kBatchPairs);
      path_loss_db(model, *pairs, carrier, losses);
      for (std::size_t i = 0; i < kBatchPairs; ++i) {
        const PairGeometry pair{
            pairs->d2d_m[i],         pairs->d3d_m[i], pairs->high_m[i], pairs->low_m[i], pairs->line_of_sight[i] != 0,
            PairBase{pairs->base[i]}};
        EXPECT_EQ(losses[i], path_loss(model, pair, carrier).value) << model_name << ", pair " << i;
      }
    }
  }
}

TEST(PairBatch, ShadowingIsThatOfEveryPair) {
  const Shadowing shadowing{{{4}, 10}, {{7.82}, 13}};
  ShadowField together(shadowing, kBatchPairs, 3), alone(shadowing, kBatchPairs, 3);
  const auto pairs = batch(9);
  std::vector<double> losses(kBatchPairs);
  for (int window = 0; window < 12; ++window) {
    for (std::size_t i = 0; i < kBatchPairs; ++i) {
      pairs->line_of_sight[i] = (i + static_cast<std::size_t>(window)) % 7 == 0 ? 0 : 1;
    }
    pairs->moved_m[4] = pairs->stride_m[4] = 1e4;
    together.update(*pairs, losses);
    for (std::size_t i = 0; i < kBatchPairs; ++i) {
      EXPECT_EQ(losses[i], alone.update(pairs->pair[i], pairs->moved_m[i], pairs->line_of_sight[i] != 0));
    }
  }
}

TEST(PairBatch, FadingIsThatOfEveryPair) {
  const FadingLaw rice = RiceFading{.k = 4};
  const FadingLaw laws[] = {NoFading{}, RayleighFading{}, NakagamiFading{.m = 2}, TdlFading{.line = "TDL-D"}};
  for (const FadingLaw& law : laws) {
    const Fading fading{rice, law, {3}};
    FadingField together(fading, Hertz{2.4e9}, kBatchPairs, 3), alone(fading, Hertz{2.4e9}, kBatchPairs, 3);
    const auto pairs = batch(9);
    std::vector<double> gains(kBatchPairs);
    for (int window = 0; window < 3; ++window) {
      together.update(*pairs, 0.01, gains);
      for (std::size_t i = 0; i < kBatchPairs; ++i) {
        EXPECT_EQ(gains[i], alone.update(pairs->pair[i], pairs->moved_m[i], 0.01, pairs->line_of_sight[i] != 0));
      }
    }
  }
}

TEST(PairBatch, NormalDrawsAreEqualForEveryStream) {
  std::vector<DrawPlace> places;
  for (std::uint32_t i = 0; i < kBatchPairs; ++i) {
    places.push_back({0x1234'5678'9ABC'DEF0ULL + i, i * 7, (std::uint64_t{i} << 33) + i});
  }
  std::vector<double> draws(kBatchPairs);
  draw_normals(places, draws);
  for (std::size_t i = 0; i < kBatchPairs; ++i) {
    FrameRandom random(places[i].seed, places[i].stream, places[i].frame);
    EXPECT_EQ(draws[i], draw_normal(random)) << i;
  }
}

}  // namespace
}  // namespace hilgate::test
