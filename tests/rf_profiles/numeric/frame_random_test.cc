// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/numeric/random.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

TEST(FrameRandom, DependsOnSeedStreamFrameAndDrawAlone) {
  FrameRandom first(7, 3, 11);
  FrameRandom again(7, 3, 11);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(first.next64(), again.next64());
  }
}

TEST(FrameRandom, NeighboursShareNothing) {
  std::set<std::uint64_t> seen;
  std::size_t draws = 0;
  for (const std::uint64_t seed : {1ULL, 2ULL, 1ULL << 32}) {
    for (const std::uint32_t stream : {0U, 1U, 0x8000'0000U}) {
      for (const std::uint64_t frame : {0ULL, 1ULL, 1ULL << 32, ~0ULL}) {
        FrameRandom random(seed, stream, frame);
        for (int i = 0; i < 10; ++i, ++draws) {
          seen.insert(random.next64());
        }
      }
    }
  }
  EXPECT_EQ(seen.size(), draws);
}

TEST(FrameRandom, CopiesContinueIndependently) {
  FrameRandom random(1, 2, 3);
  random.next64();
  FrameRandom copy = random;
  const std::uint64_t next = random.next64();
  random.next64();
  EXPECT_EQ(copy.next64(), next);
}

// First draws of successive frames, which is how the path uses it.
TEST(FrameRandom, UniformAndExponentialFollowTheirLaws) {
  constexpr std::uint64_t kFrames = 200'000;
  std::vector<std::uint64_t> uniform(50);
  std::vector<std::uint64_t> exponential(50);
  std::vector<std::uint64_t> below(7);
  for (std::uint64_t frame = 0; frame < kFrames; ++frame) {
    FrameRandom random(99, 1, frame);
    const double u = random.uniform();
    ASSERT_GT(u, 0);
    ASSERT_LE(u, 1);
    ++uniform[std::min<std::size_t>(static_cast<std::size_t>(u * 50), 49)];
    const double e = random.exponential();
    ASSERT_GE(e, 0);
    ++exponential[std::min<std::size_t>(static_cast<std::size_t>(-std::expm1(-e) * 50), 49)];  // its own CDF
    ++below[random.below(7)];
  }
  EXPECT_GT(uniform_tail(uniform), 1e-3);
  EXPECT_GT(uniform_tail(exponential), 1e-3);
  EXPECT_GT(uniform_tail(below), 1e-3);
}

TEST(FrameRandom, BelowOneIsZero) {
  FrameRandom random(1, 1, 1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(random.below(1), 0U);
  }
}

}  // namespace
}  // namespace hilgate::test
