// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/propagation/material.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <set>

namespace hilgate::test {
namespace {

constexpr Hertz kMaterialBand{2.4e9};

double loss(const char* name, double thickness_m, double incidence_rad) {
  return WallLoss(builtin_material(name).value(), kMaterialBand).db({0, thickness_m, incidence_rad});
}

TEST(Material, WallAtNormalIncidenceIsTheSlab) {
  EXPECT_NEAR(loss("concrete", 0.2, 0), 14.575, 1e-3);
  EXPECT_NEAR(loss("brick", 0.1, 0), 3.026, 1e-3);
}

TEST(Material, SlantedWayThroughUsesTheSlabsThickness) {
  const double angle = 0.7;
  const SlabConstants concrete = std::get<SlabConstants>(builtin_material("concrete")->loss);
  const double te = slab_transmission_loss(concrete, kMaterialBand, 0.2, angle, Polarisation::kTE).value;
  const double tm = slab_transmission_loss(concrete, kMaterialBand, 0.2, angle, Polarisation::kTM).value;
  const double slanted = loss("concrete", 0.2 / std::cos(angle), angle);
  EXPECT_GT(slanted, std::min(te, tm));
  EXPECT_LT(slanted, std::max(te, tm));
}

TEST(Material, StaysFiniteAndNotNegativeAtTheEdges) {
  EXPECT_EQ(loss("metal", 0.01, 0.3), kMostWallLossDb);
  EXPECT_EQ(loss("concrete", 1000, 0), kMostWallLossDb);
  EXPECT_LE(loss("brick", 5, std::numbers::pi / 2), kMostWallLossDb);
  EXPECT_GT(loss("brick", 5, std::numbers::pi / 2), 20) << "grazing: nearly all is reflected";
  EXPECT_NEAR(loss("glass", 1e-9, 0), 0, 1e-3);
}

TEST(Material, FixedLossIsPerCrossingWhateverTheAngle) {
  EXPECT_EQ(loss("building", 40, 0), 14);
  EXPECT_EQ(loss("building", 0.1, 1.2), 14);
}

TEST(Material, NamesAreUnique) {
  std::set<std::string> names;
  for (const Material& material : builtin_materials()) {
    EXPECT_TRUE(names.insert(material.name).second) << material.name;
  }
  EXPECT_FALSE(builtin_material("cheese"));
}

}  // namespace
}  // namespace hilgate::test
