// SPDX-License-Identifier: Apache-2.0
#include "bench/bench_all.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace hilgate::test {
namespace {

TEST(SignTest, IsTwoSided) {
  EXPECT_DOUBLE_EQ(sign_test(5, 5), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(0, 5), 2.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(4, 5), 12.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test(3, 5), 1);
  EXPECT_DOUBLE_EQ(sign_test(10, 10), 2.0 / 1024);
}

TEST(BenchAll, RefusesNamesThatAreNoBenchmarks) {
  EXPECT_THAT(
      [] {
        bench_all_command({.only = {"hold", "speed"}});
      },
      testing::ThrowsMessage<std::invalid_argument>(
          testing::HasSubstr("'speed' is no benchmark; there are throughput, ")));
}

}  // namespace
}  // namespace hilgate::test
