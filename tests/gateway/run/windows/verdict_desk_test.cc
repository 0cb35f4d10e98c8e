// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/verdict_desk.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class VerdictDeskTest : public testing::Test {
 protected:
  AirDrop judged(Verdict verdict, std::optional<SimTime> now = std::nullopt) {
    NetworkAnswer answer;
    answer.verdicts.push_back(verdict);
    desk_.judge(answer, now);
    EXPECT_EQ(desk_.verdicts().size(), 1U);
    return desk_.verdicts()[0].drop;
  }
  WindowOptions options_;
  FakePackets packets_;
  VerdictDesk desk_{options_, packets_};
};

TEST_F(VerdictDeskTest, OffersPacketsCapturedBeforeTheWindow) {
  packets_.capture(0, SimTime{1ms});
  packets_.capture(1, SimTime{2ms});
  EXPECT_EQ(desk_.offer(SimTime{2ms}, 2).size(), 1U);
  EXPECT_EQ(desk_.offer(SimTime{3ms}, 3).size(), 1U);
  EXPECT_EQ(desk_.offer(SimTime{4ms}, 4).size(), 0U);
  EXPECT_EQ(desk_.waiting(), 2U);
}

TEST_F(VerdictDeskTest, MayGiveUpAllPackets) {
  packets_.capture(0, SimTime{1ms});
  packets_.capture(1, SimTime{2ms});
  desk_.offer(SimTime{3ms}, 3);
  desk_.expire_all();
  EXPECT_THAT(desk_.forgotten(), ElementsAre(0, 1));
  EXPECT_EQ(desk_.waiting(), 0U);
  EXPECT_EQ(desk_.stats().expired, 2U);
}

TEST_F(VerdictDeskTest, AReleaseBeforeTheRunBeganIsOneAtItsBeginning) {
  packets_.capture(0, SimTime{1ms});
  desk_.offer(SimTime{2ms}, 2);
  judged({.packet = 0, .receiver = RobotIndex{1}, .release_at = SimTime::min()}, SimTime{3ms});
  EXPECT_EQ(desk_.verdicts()[0].release_at, SimTime{});
  EXPECT_EQ(desk_.stats().late.max(), 3ms);
}

TEST_F(VerdictDeskTest, UnknownPacketsAreCountedAndGoNoFurther) {
  NetworkAnswer answer;
  answer.verdicts.push_back({.packet = 7});
  answer.forget = {8};
  desk_.judge(answer, std::nullopt);
  EXPECT_TRUE(desk_.verdicts().empty());
  EXPECT_TRUE(desk_.forgotten().empty());
  EXPECT_EQ(desk_.stats().unknown, 1U);
}

TEST_F(VerdictDeskTest, InvalidRatesDropThePacket) {
  packets_.capture(0, SimTime{});
  desk_.offer(SimTime::max(), 0);
  EXPECT_EQ(judged({.packet = 0, .ber = 0}), AirDrop::kNone);
  EXPECT_EQ(judged({.packet = 0, .ber = std::nextafter(1.0, 0.0)}), AirDrop::kNone);
  for (const double ber : {1.0, -1e-9, 2.0, std::nan(""), double{-INFINITY}, double{INFINITY}}) {
    EXPECT_EQ(judged({.packet = 0, .ber = ber}), AirDrop::kBitErrors) << ber;
  }
  EXPECT_EQ(desk_.stats().bad_ber, 6U);
}

TEST_F(VerdictDeskTest, LateVerdictsAreMeasuredAndDiscardedWhenConfigured) {
  packets_.capture(0, SimTime{});
  desk_.offer(SimTime::max(), 0);
  EXPECT_EQ(judged({.packet = 0, .release_at = SimTime{5ms}}, SimTime{5ms}), AirDrop::kNone);
  EXPECT_EQ(desk_.stats().late.count(), 0U) << "in time to the nanosecond";
  EXPECT_EQ(judged({.packet = 0, .release_at = SimTime{5ms}}, SimTime{7ms}), AirDrop::kNone);
  EXPECT_EQ(desk_.stats().late.max(), 2ms);
  options_.late = LatePolicy::kDiscard;
  EXPECT_EQ(judged({.packet = 0, .release_at = SimTime{5ms}}, SimTime{7ms}), AirDrop::kTooLate);
  EXPECT_EQ(desk_.stats().discarded, 1U);
}

TEST_F(VerdictDeskTest, APacketMayHaveManyVerdictsUntilItIsForgotten) {
  packets_.capture(0, SimTime{});
  desk_.offer(SimTime::max(), 0);
  NetworkAnswer answer;
  answer.verdicts = {{.packet = 0, .receiver = RobotIndex{1}}, {.packet = 0, .receiver = RobotIndex{2}}};
  answer.forget = {0};
  desk_.judge(answer, std::nullopt);
  EXPECT_EQ(desk_.verdicts().size(), 2U) << "verdicts count before the forgetting of the same answer";
  EXPECT_THAT(desk_.forgotten(), ElementsAre(0));
  NetworkAnswer again;
  again.verdicts = {{.packet = 0}};
  desk_.judge(again, std::nullopt);
  EXPECT_EQ(desk_.stats().unknown, 1U);
}

TEST_F(VerdictDeskTest, ExpiresByTimeOrByTheReferencesWindows) {
  packets_.capture(0, SimTime{});
  desk_.offer(SimTime::max(), 0);
  desk_.expire(1000, SimTime{1s});
  EXPECT_TRUE(desk_.forgotten().empty());
  desk_.expire(1001, SimTime{1001ms});
  EXPECT_THAT(desk_.forgotten(), ElementsAre(0));

  options_.packet_hold_windows = 50;
  packets_.capture(1, SimTime{});
  desk_.offer(SimTime::max(), 7);
  desk_.expire(57, SimTime{});
  EXPECT_TRUE(desk_.forgotten().empty()) << "the releases of window 57 come first";
  desk_.expire(58, SimTime{});
  EXPECT_THAT(desk_.forgotten(), ElementsAre(1));
  EXPECT_EQ(desk_.stats().expired, 2U);
}

}  // namespace
}  // namespace hilgate::test
