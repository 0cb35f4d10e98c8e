// SPDX-License-Identifier: Apache-2.0
#include "physics_link/scene.h"

#include <gtest/gtest.h>

#include <utility>

namespace hilgate::test {
namespace {

Sight blocked_by(std::uint32_t material) {
  return {.line_of_sight = false, .walls = {{.material = material, .thickness_m = 1, .incidence_rad = 0}}, .paths = {}};
}

TEST(Sights, UnmentionedPairsAreUnobstructed) {
  Sights sights(10);
  sights[7] = blocked_by(3);
  const Sights& seen = sights;
  EXPECT_EQ(seen.size(), 10U);
  EXPECT_TRUE(seen[6].line_of_sight);
  EXPECT_FALSE(seen[7].line_of_sight);
  ASSERT_EQ(seen.told().size(), 1U) << "reading says nothing";
  EXPECT_EQ(seen.told()[0], 7U);
  EXPECT_EQ(seen.told_sights()[0].walls[0].material, 3U);
}

TEST(Sights, OpenedSightsAreForgottenAndOthersStay) {
  Sights sights(6);
  for (const std::uint32_t pair : {1U, 3U, 5U}) {
    sights[pair] = blocked_by(pair);
  }
  sights.open(1);
  sights.open(2);
  const Sights copy = sights;
  for (const Sights& seen : {std::as_const(sights), copy}) {
    EXPECT_TRUE(seen[1].line_of_sight);
    EXPECT_TRUE(seen[1].walls.empty());
    EXPECT_FALSE(seen.is_told(1));
    EXPECT_EQ(seen[3].walls[0].material, 3U);
    EXPECT_EQ(seen[5].walls[0].material, 5U);
    ASSERT_EQ(seen.told().size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_EQ(seen.told_sights()[i].walls[0].material, seen.told()[i]);
    }
  }
  sights[2].line_of_sight = false;
  EXPECT_TRUE(sights[2].walls.empty()) << "with the storage of another, and nothing of what it was";
  sights.open_all(4);
  EXPECT_EQ(sights.size(), 4U);
  EXPECT_TRUE(sights.told().empty());
  EXPECT_TRUE(std::as_const(sights)[3].line_of_sight);
}

TEST(Sights, FewerPairsForgetTheLast) {
  Sights sights{{}, blocked_by(1), blocked_by(2)};
  sights.resize(2);
  sights.resize(3);
  EXPECT_FALSE(sights[1].line_of_sight);
  EXPECT_TRUE(std::as_const(sights)[2].line_of_sight);
}

TEST(Sights, APairHasTheEndsThatItWasMadeOf) {
  for (const std::uint32_t high : {1U, 2U, 3U, 1000U, 1023U, 65'535U}) {
    for (const std::uint32_t low : {0U, high / 2, high - 1}) {
      const PairEnds ends = ends_of(pair_index(RobotIndex{low}, RobotIndex{high}));
      EXPECT_EQ(ends.low, low) << high;
      EXPECT_EQ(ends.high, high) << low;
    }
  }
}

}  // namespace
}  // namespace hilgate::test
