// SPDX-License-Identifier: Apache-2.0
#include "clock/seqlock.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace hilgate::test {
namespace {

TEST(Seqlock, ReturnsTheStoredValue) {
  struct Odd {
    std::array<char, 13> bytes;  // no multiple of a word
  };
  Seqlock<Odd> lock(Odd{{"hello, world"}});
  EXPECT_STREQ(lock.load().bytes.data(), "hello, world");
  const std::uint64_t before = lock.version();
  lock.store(Odd{{"and again"}});
  EXPECT_STREQ(lock.load().bytes.data(), "and again");
  EXPECT_EQ(lock.version(), before + 2);
  EXPECT_EQ(lock.version() % 2, 0U);
}

TEST(Seqlock, ReadersNeverSeeHalfAValue) {
  constexpr std::uint64_t kStores = 50'000;
  using Value = std::array<std::uint64_t, 9>;
  Seqlock<Value> lock;
  const auto read = [&lock] {
    for (std::uint64_t last = 0; last < kStores;) {
      const Value value = lock.load();
      ASSERT_GE(value[0], last) << "went back";
      for (const std::uint64_t word : value) {
        ASSERT_EQ(word, value[0]) << "torn";
      }
      last = value[0];
    }
  };
  std::jthread first(read);
  std::jthread second(read);
  for (std::uint64_t i = 1; i <= kStores; ++i) {
    Value value;
    value.fill(i);
    lock.store(value);
  }
}

}  // namespace
}  // namespace hilgate::test
