// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/tunnel_tally.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace hilgate::test {
namespace {

constexpr std::size_t kSlots = 5;

LinkCounts counted(const TunnelTally& tally, std::size_t from, std::size_t to) {
  LinkCounts sum;
  tally.add_to(LinkSlot{static_cast<std::uint32_t>(from * kSlots + to)}, sum);
  return sum;
}

}  // namespace

TEST(TunnelTallyTest, CountsEachLinkOfARobotThatIsHereByItself) {
  TunnelTally tally({false, true, false, true}, kSlots);  // of the last slot nobody has said anything
  std::uint64_t next = 0;
  for (std::size_t from = 0; from < kSlots; ++from) {
    for (std::size_t to = 0; to < kSlots; ++to) {
      for (++next; tally[from * kSlots + to].out.get() < next && (from % 2 == 1 || to % 2 == 1);) {
        tally[from * kSlots + to].out.add();
      }
      tally[from * kSlots + to].in.add();
    }
  }
  next = 0;
  for (std::size_t from = 0; from < kSlots; ++from) {
    for (std::size_t to = 0; to < kSlots; ++to) {
      ++next;
      const bool is_here = from % 2 == 1 || to % 2 == 1;
      EXPECT_EQ(counted(tally, from, to).site_out, is_here ? next : 0) << from << " to " << to;
      EXPECT_EQ(counted(tally, from, to).site_in, is_here ? 1U : 0U);
    }
  }
}

TEST(TunnelTallyTest, CostFollowsTheActiveRobotsAlone) {
  std::vector<bool> here(2000);
  for (std::size_t i = 17; i < here.size(); i += 100) {
    here[i] = true;
  }
  const TunnelTally tally(here, here.size());
  EXPECT_LE(tally.bytes(), 2U * 20 * 2000 * sizeof(TunnelLinkCounters) + sizeof(TunnelLinkCounters));
  std::printf("counters of a gateway with 20 of 2000 robots: at most %.1f MB; of all links %.0f MB\n",
              static_cast<double>(tally.bytes()) / 1e6, 4e6 * static_cast<double>(sizeof(TunnelLinkCounters)) / 1e6);
}

}  // namespace hilgate::test
