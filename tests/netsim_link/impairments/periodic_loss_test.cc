// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/periodic_loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace hilgate::test {
namespace {

using testing::ElementsAre;

TEST(PeriodicLoss, LosesEachNthFrameAndNoOther) {
  const auto lost_of_twelve = [](std::uint32_t every) {
    const PeriodicLoss loss{every};
    PeriodicLoss::State state;
    FrameRandom random(1, 0, 0);
    std::vector<int> lost;
    for (int i = 1; i <= 12; ++i) {
      if (loss.lose({.arrived = HostTime{Nanoseconds{i}}}, state, random)) {
        lost.push_back(i);
      }
    }
    return lost;
  };
  EXPECT_THAT(lost_of_twelve(5), ElementsAre(5, 10));
  EXPECT_EQ(lost_of_twelve(1).size(), 12U);
  EXPECT_THAT(lost_of_twelve(13), testing::IsEmpty());
}

}  // namespace
}  // namespace hilgate::test
