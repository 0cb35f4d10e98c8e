// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/ns3/fates.h"

#include <gmock/gmock.h>

namespace hilgate::ns3net {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

SimTime at(Nanoseconds since) {
  return SimTime{since};
}

class FatesTest : public testing::Test {
 protected:
  void open(std::uint64_t id, std::optional<RobotIndex> to, std::uint32_t pieces = 1) {
    fates.open({.id = id, .sender = RobotIndex{0}, .receiver = to, .length = 100}, at(0ms), pieces);
  }
  void settle(Nanoseconds now) {
    answer = {};
    fates.settle(at(now), answer);
  }

  Fates fates{3, 1ms, 500ms};
  NetworkAnswer answer;
};

TEST_F(FatesTest, AFrameForOneIsDoneWhenItHasArrived) {
  open(5, RobotIndex{1});
  fates.trying(5, at(1ms));
  fates.trying(5, at(2ms));
  fates.received(5, RobotIndex{1}, 0, at(3ms));
  fates.received(5, RobotIndex{1}, 0, at(4ms));  // a repetition whose acknowledgement was lost
  settle(4ms);
  EXPECT_THAT(answer.verdicts,
              ElementsAre(Verdict{.packet = 5, .receiver = RobotIndex{1}, .release_at = at(3ms), .retries = 1}));
  EXPECT_THAT(answer.forget, ElementsAre(5U));
  EXPECT_EQ(fates.open_packets(), 0U);
}

TEST_F(FatesTest, TheLastTryGivesTheCause) {
  open(1, RobotIndex{1});
  fates.trying(1, at(1ms));
  fates.hindered(1, RobotIndex{1}, AirDrop::kCollision);
  fates.trying(1, at(2ms));
  fates.heard(1, RobotIndex{1});  // and nothing came of it
  fates.given_up(1, AirDrop::kNone, at(3ms));
  settle(3ms);
  EXPECT_THAT(answer.verdicts, IsEmpty()) << "a copy might still be under way";
  settle(4ms);
  ASSERT_EQ(answer.verdicts.size(), 1U);
  EXPECT_EQ(answer.verdicts[0].drop, AirDrop::kBitErrors);
  EXPECT_EQ(answer.verdicts[0].retries, 1U);
}

TEST_F(FatesTest, AGroupFrameIsSettledForEachReceiver) {
  open(2, std::nullopt);
  fates.trying(2, at(1ms));
  fates.received(2, RobotIndex{2}, 0, at(2ms));
  fates.sent(2, at(2ms));
  settle(3ms);
  ASSERT_EQ(answer.verdicts.size(), 2U);
  EXPECT_EQ(answer.verdicts[0].receiver, RobotIndex{2});
  EXPECT_EQ(answer.verdicts[1].receiver, RobotIndex{1});
  EXPECT_EQ(answer.verdicts[1].drop, AirDrop::kOutOfRange);
  EXPECT_THAT(answer.forget, ElementsAre(2U));
}

TEST_F(FatesTest, APieceIsNotAll) {
  open(3, RobotIndex{1}, 2);
  fates.trying(3, at(1ms));
  fates.received(3, RobotIndex{1}, 1, at(2ms));
  settle(3ms);
  EXPECT_THAT(answer.verdicts, IsEmpty());
  fates.received(3, RobotIndex{1}, 0, at(4ms));
  settle(5ms);
  EXPECT_EQ(answer.verdicts.size(), 1U);
}

TEST_F(FatesTest, PacketsWithoutVerdictAreAbandoned) {
  open(4, RobotIndex{1});
  settle(499ms);
  EXPECT_THAT(answer.verdicts, IsEmpty());
  settle(500ms);
  ASSERT_EQ(answer.verdicts.size(), 1U);
  EXPECT_EQ(answer.verdicts[0].drop, AirDrop::kOther);
}

}  // namespace
}  // namespace hilgate::ns3net
