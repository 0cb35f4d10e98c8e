// SPDX-License-Identifier: Apache-2.0
#include "physics_link/traced_path.h"

#include <gtest/gtest.h>

#include <cmath>

namespace hilgate::test {
namespace {

constexpr Vec3 kFrom{0, 0, 0};
constexpr Vec3 kTo{100, 0, 0};

TEST(TracedPath, IsAsLongAsItsPoints) {
  const Path bent = {{{0, 0, 0}, 0}, {{50, 50, 0}, 2}, {{100, 0, 0}, 0}};
  EXPECT_NEAR(ray_along(bent, kFrom, kTo).length_m, 2 * std::hypot(50, 50), 1e-9);
  EXPECT_EQ(ray_along(bent, kFrom, kTo).transitions, Decibels{2});
  EXPECT_NEAR(ray_along({bent.rbegin(), bent.rend()}, kFrom, kTo).length_m, 2 * std::hypot(50, 50), 1e-9);
}

TEST(TracedPath, BeginsAndEndsAtTheRobotsEvenWhenItDoesNotListThem) {
  EXPECT_EQ(ray_along({{{50, 0, 0}, 1}}, kFrom, kTo).length_m, 100);
  EXPECT_EQ(ray_along({{{50, 0, 0}, 1}, {{70, 0, 0}, 1}}, kFrom, kTo).length_m, 100);
  EXPECT_EQ(ray_along({}, kFrom, kTo).length_m, 100);
}

TEST(TracedPath, NoLossIsNegative) {
  EXPECT_EQ(ray_along({{{50, 0, 0}, -30}, {{60, 0, 0}, 4}}, kFrom, kTo).transitions, Decibels{4});
}

TEST(TracedPath, OfGeometryAloneTheShortestCounts) {
  const Path straight = {{{0, 0, 0}, 0}, {{100, 0, 0}, 0}};
  const Path bent = {{{0, 0, 0}, 0}, {{50, 50, 0}, 0}, {{100, 0, 0}, 0}};
  std::vector<TracedRay> rays;
  rays_between({bent, straight, bent}, kFrom, kTo, rays);
  ASSERT_EQ(rays.size(), 1U);
  EXPECT_EQ(rays[0].length_m, 100);
  rays_between({{bent[0], {{50, 50, 0}, 3}, bent[2]}, straight}, kFrom, kTo, rays);
  EXPECT_EQ(rays.size(), 2U) << "one of them says what a reflection costs: the other costs nothing";
}

}  // namespace
}  // namespace hilgate::test
