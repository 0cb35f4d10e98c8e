// SPDX-License-Identifier: Apache-2.0
#include "frame/spsc_ring.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace hilgate::test {
namespace {

TEST(SpscRing, HandsOnInOrderUntilItIsFull) {
  SpscRing<int> ring(3);  // room for 4
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 4; ++i) {
      EXPECT_TRUE(ring.push(i));
    }
    EXPECT_FALSE(ring.push(4));
    int item = -1;
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(ring.pop(item));
      EXPECT_EQ(item, i);
    }
    EXPECT_FALSE(ring.pop(item));
  }
}

TEST(SpscRing, StagedEntriesTakeRoomAndAppearOnPublish) {
  SpscRing<int> ring(2);
  for (const int item : {1, 2}) {
    *ring.claim() = item;
    ring.stage();
  }
  EXPECT_EQ(ring.waiting(), 2U);
  EXPECT_EQ(ring.claim(), nullptr);
  EXPECT_EQ(ring.front(), nullptr);
  ring.publish_staged();
  int item = 0;
  ASSERT_TRUE(ring.pop(item));
  EXPECT_EQ(item, 1);
  EXPECT_TRUE(ring.push(3));
  ASSERT_TRUE(ring.pop(item));
  EXPECT_EQ(item, 2);
}

TEST(SpscRing, WithoutRoomTakesNothing) {
  SpscRing<int> ring(0);
  int item = 0;
  EXPECT_FALSE(ring.push(1));
  EXPECT_FALSE(ring.pop(item));
}

TEST(SpscRing, LosesNothingBetweenThreads) {
  constexpr std::uint64_t kItems = 20'000;
  SpscRing<std::uint64_t> ring(16);
  std::jthread writer([&ring] {
    for (std::uint64_t i = 0; i < kItems;) {
      if (ring.push(i)) {
        ++i;
      } else {
        std::this_thread::yield();
      }
    }
  });
  for (std::uint64_t i = 0; i < kItems;) {
    std::uint64_t item = 0;
    if (ring.pop(item)) {
      ASSERT_EQ(item, i++);
    } else {
      std::this_thread::yield();
    }
  }
}

}  // namespace
}  // namespace hilgate::test
