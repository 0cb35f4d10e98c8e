// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/verdict_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

std::vector<CapturedPacket> packets(std::uint64_t first, std::uint64_t last) {
  std::vector<CapturedPacket> made;
  for (std::uint64_t id = first; id <= last; ++id) {
    made.push_back({.id = id,
                    .captured = SimTime{std::chrono::milliseconds(id)},
                    .sender = RobotIndex{static_cast<std::uint32_t>(id)}});
  }
  return made;
}

TEST(PacketLedger, KeepsOfferedPacketsUntilForgotten) {
  PacketLedger ledger;
  EXPECT_FALSE(ledger.knows(0));
  ledger.offer(packets(0, 4), 0);
  EXPECT_TRUE(ledger.knows(3));
  EXPECT_FALSE(ledger.knows(5));
  EXPECT_TRUE(ledger.forget(3));
  EXPECT_FALSE(ledger.forget(3));
  EXPECT_FALSE(ledger.forget(99));
  EXPECT_FALSE(ledger.knows(3));
  EXPECT_EQ(ledger.waiting(), 4U);
}

TEST(PacketLedger, ExpiresByTimeOfCapture) {
  PacketLedger ledger;
  ledger.offer(packets(0, 9), 0);
  ledger.forget(1);
  std::vector<std::uint64_t> gone;
  ledger.expire_captured(SimTime{3ms}, gone);
  EXPECT_THAT(gone, ElementsAre(0, 2));
  ASSERT_TRUE(ledger.last_expired());
  EXPECT_EQ(ledger.last_expired()->sender, RobotIndex{2});
  EXPECT_FALSE(ledger.last_expired()->receiver) << "a group";
  EXPECT_TRUE(ledger.knows(3)) << "captured at 3 ms, not before";
  EXPECT_EQ(ledger.waiting(), 7U);
}

TEST(PacketLedger, ExpiresByWindow) {
  PacketLedger ledger;
  ledger.offer(packets(0, 1), 4);
  ledger.offer(packets(2, 2), 5);
  std::vector<std::uint64_t> gone;
  ledger.expire_offered(4, gone);
  EXPECT_THAT(gone, ElementsAre(0, 1));
}

}  // namespace
}  // namespace hilgate::test
