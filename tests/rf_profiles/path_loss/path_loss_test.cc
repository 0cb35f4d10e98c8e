// SPDX-License-Identifier: Apache-2.0
// What PathLoss does around the formulas: choice by height, limits, draws of sight. The formulas are rows of
// tests/oracles.
#include "rf_profiles/path_loss/path_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>

#include "config/model_table.h"
#include "rf_profiles/path_loss/tgpp_models.h"

namespace hilgate::test {
namespace {

constexpr Hertz kCarrier{2.4e9};

PairGeometry pair_at(double d2d_m, double high_m, double low_m, bool los = true) {
  return {d2d_m, std::hypot(d2d_m, high_m - low_m), high_m, low_m, los};
}

double loss_db(const PathLossModel& model, const PairGeometry& pair, const Carrier& carrier) {
  return path_loss(model, pair, carrier).value;
}

TEST(PathLoss, IsFiniteAndNotNegativeForAnyPair) {
  for (const auto& [model_name, model] : models_by_name<PathLossModel>()) {
    for (const double d : {0.0, 0.1, 1.0, 10.0, 3000.0, 1e6}) {
      for (const double high : {-5.0, 0.0, 1.5, 30.0, 500.0}) {
        for (const bool los : {true, false}) {
          const double loss = loss_db(model, pair_at(d, high, std::min(high, 1.0), los), kCarrier);
          EXPECT_TRUE(std::isfinite(loss) && loss >= 0)
              << model_name << " at " << d << " m, " << high << " m high: " << loss;
        }
      }
    }
  }
}

TEST(PathLoss, TakesTheAerialReportAboveItsHeight) {
  const PairGeometry air = pair_at(200, 50, 10);
  EXPECT_EQ(loss_db(TgppUmi{}, air, kCarrier), umi_aerial_loss_db({200, air.d3d_m, 10, 50, true}, kCarrier));
  const PairGeometry low = pair_at(200, 20, 10);
  EXPECT_EQ(loss_db(TgppUmi{}, low, kCarrier), umi_loss_db({200, low.d3d_m, 20, 10, true}, kCarrier));
}

TEST(PathLoss, AMastIsNoAerialTerminal) {
  const Carrier carrier(Hertz{1.8425e9});
  const PairGeometry uma = pair_at(1700, 25, 1.5);
  EXPECT_EQ(loss_db(TgppUma{}, uma, carrier), uma_loss_db({1700, uma.d3d_m, 25, 1.5, true}, carrier));
  const PairGeometry rma = pair_at(3000, 35, 1.5);
  EXPECT_EQ(loss_db(TgppRma{}, rma, carrier), rma_loss_db({3000, rma.d3d_m, 35, 1.5, true}, {}, carrier));
}

TEST(PathLoss, BaseStationIsNotAerialAtAnyHeightAndTerminalIs) {
  PairGeometry pair = pair_at(1700, 60, 30);
  pair.base = PairBase::kHigher;
  EXPECT_EQ(loss_db(TgppUma{}, pair, kCarrier), uma_aerial_loss_db({1700, pair.d3d_m, 60, 30, true}, kCarrier));
  pair.base = PairBase::kLower;
  EXPECT_EQ(loss_db(TgppUma{}, pair, kCarrier), uma_aerial_loss_db({1700, pair.d3d_m, 30, 60, true}, kCarrier));
  PairGeometry mast = pair_at(1700, 60, 2);
  mast.base = PairBase::kHigher;
  EXPECT_EQ(loss_db(TgppUma{}, mast, kCarrier), uma_loss_db({1700, mast.d3d_m, 60, 2, true}, kCarrier));
  EXPECT_EQ(line_of_sight_probability(TgppUma{}, mast), uma_los_probability(1700, 2));
}

TEST(PathLoss, IsContinuousInTheHeightOfTheHigherAntenna) {
  constexpr double kStep = 0.05;  // m
  for (const PathLossModel& model : {PathLossModel{TgppUmi{}}, PathLossModel{TgppUma{}}, PathLossModel{TgppRma{}}}) {
    for (const bool los : {true, false}) {
      for (double high = 2; high < 90; high += kStep) {
        const PairGeometry lower = pair_at(2000, high, 1.5, los);
        const PairGeometry higher = pair_at(2000, high + kStep, 1.5, los);
        EXPECT_NEAR(loss_db(model, lower, kCarrier), loss_db(model, higher, kCarrier), 1) << name(model) << high;
        EXPECT_NEAR(line_of_sight_probability(model, lower), line_of_sight_probability(model, higher), 0.05)
            << name(model) << high;
      }
    }
  }
}

TEST(PathLoss, NoSightNeverCostsLessThanSight) {
  for (const PathLossModel& model : {PathLossModel{TgppUmi{}}, PathLossModel{TgppInh{}}, PathLossModel{TgppRma{}}}) {
    for (double d = 10; d < 1000; d *= 1.3) {
      EXPECT_GE(loss_db(model, pair_at(d, 8, 2, false), kCarrier), loss_db(model, pair_at(d, 8, 2, true), kCarrier));
    }
  }
}

TEST(PathLoss, IndoorTerminalIsNotAerial) {
  const PairGeometry high = pair_at(500, 60, 50);
  const double outside = uma_loss_db({500, high.d3d_m, 60, 50, true}, kCarrier);
  const TgppUmaO2i inside{{TgppBuilding::kLowLoss, 10}};
  EXPECT_NEAR(loss_db(inside, high, kCarrier), outside + into_low_loss_building(kCarrier).value + 5, 1e-9);
}

TEST(PathLoss, EntryAndTheEarthHaveABoundOfTheirRange) {
  const Carrier carrier(kCarrier);
  for (const PathLossModel& model : std::initializer_list<PathLossModel>{
           TgppUmiO2i{{TgppBuilding::kHighLoss, 12}}, TgppUmaO2i{{TgppBuilding::kLowLoss, 3}},
           ItuP2109{P2109Building::kThermallyEfficient, 0.1}, ItuP526{true}}) {
    const Decibels most{130};
    const double range_m = greatest_range_m(model, most, 40, carrier).value();
    for (const double beyond : {1.001, 1.5, 4.0}) {
      for (const double low_m : {0.5, 20.0, 40.0}) {
        const double d2d_m = std::sqrt(range_m * range_m * beyond * beyond - (40 - low_m) * (40 - low_m));
        for (const bool sight : {true, false}) {
          EXPECT_GE(loss_db(model, pair_at(d2d_m, 40, low_m, sight), carrier), most.value) << name(model);
        }
      }
    }
  }
}

TEST(PathLoss, ASteeperPathIntoABuildingLosesMore) {
  const ItuP2109 entry{P2109Building::kTraditional, 0.5};
  const double level = loss_db(entry, pair_at(1000, 1.5, 1.5), kCarrier);
  PairGeometry steep = pair_at(0, 1001.5, 1.5);
  EXPECT_NEAR(loss_db(entry, steep, kCarrier), level + 90 * 0.212, 1.5);
}

TEST(PathLoss, DiscEndsAtItsRange) {
  EXPECT_EQ(loss_db(Disc{50}, pair_at(50, 1, 1), kCarrier), 0);
  EXPECT_GT(loss_db(Disc{50}, pair_at(50.01, 1, 1), kCarrier), 200);
}

TEST(PathLoss, RealGroundFillsTheNulls) {
  TwoRayExact wet;
  wet.ideal_ground = false;
  wet.ground = {30, -0.4, 0.15, 1.30};
  double deepest_ideal = 0, deepest_wet = 0;
  for (double d = 5; d < 100; d += 0.01) {
    const PairGeometry pair = pair_at(d, 3, 3);
    const double free = loss_db(Friis{}, pair, kCarrier);
    deepest_ideal = std::max(deepest_ideal, loss_db(TwoRayExact{}, pair, kCarrier) - free);
    deepest_wet = std::max(deepest_wet, loss_db(wet, pair, kCarrier) - free);
  }
  EXPECT_GT(deepest_ideal, deepest_wet + 3);
}

TEST(PathLoss, OnlyModelsWithStatisticsDrawSight) {
  EXPECT_EQ(line_of_sight_probability(Friis{}, pair_at(1000, 2, 2)), 1);
  EXPECT_EQ(line_of_sight_probability(TgppUmi{}, pair_at(10, 2, 2)), 1);
  EXPECT_NEAR(line_of_sight_probability(TgppUmi{}, pair_at(100, 2, 2)), 0.230985, 1e-6);
  EXPECT_NEAR(line_of_sight_probability(TgppUmi{}, pair_at(500, 50, 2)), 0.3789, 1e-4);
}

}  // namespace
}  // namespace hilgate::test
