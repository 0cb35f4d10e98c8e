// SPDX-License-Identifier: Apache-2.0
// The control thread's end of the parking: what it asks about, and which orders come of verdicts, when.
#include "gateway/run/simulation/parked_packets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using What = ParkedOrder::What;

class ParkedPacketsTest : public testing::Test {
 protected:
  void begin(const WindowOptions& options) {
    bench_.emplace(options);
    bench_->physics.answer_at_once = bench_->network.answer_at_once = true;
    packets_.emplace(rings_, TableRobots(3), options);
    packets_->attach(bench_->engine);
    bench_->engine.start();
    packets_->window_began(SimTime{});
  }
  void park(std::uint64_t id, Nanoseconds after_start, OptionalIndex<RobotSlot> to = RobotSlot{1}) {
    ASSERT_TRUE(rings_.parked.push({.id = id, .arrived = bench_->origin + after_start, .to = to, .length = 100}));
  }
  std::vector<std::uint64_t> asked(SimTime before) {
    std::vector<CapturedPacket> packets;
    packets_->take(before, packets);
    std::vector<std::uint64_t> ids;
    for (const CapturedPacket& packet : packets) {
      ids.push_back(packet.id);
    }
    return ids;
  }
  std::vector<std::string> orders() {
    std::vector<std::string> words;
    for (ParkedOrder order; rings_.orders.pop(order);) {
      const char* what = order.what == What::kDeliver ? "deliver" : order.what == What::kDrop ? "drop" : "forget";
      words.push_back(fmt::format("{} {} {}", what, order.packet,
                                  order.what == What::kDeliver ? std::string("-") : std::string(name(order.reason))));
    }
    return words;
  }
  void judge(const Verdict& verdict, std::vector<std::uint64_t> forgotten = {}) {
    packets_->verdicts({&verdict, 1}, forgotten);
  }

  VerdictRings rings_{8};
  std::optional<Bench> bench_;
  std::optional<ParkedPackets> packets_;
};

TEST_F(ParkedPacketsTest, RequestsVerdictsOnPacketsBeforeTheWindow) {
  begin({.window = 10ms});
  park(0, 3ms);
  park(1, 10ms);
  EXPECT_THAT(asked(SimTime{10ms}), ElementsAre(0));
  EXPECT_THAT(asked(SimTime{20ms}), ElementsAre(1));
}

TEST_F(ParkedPacketsTest, OtherSimulationAbandonsUnaskedPackets) {
  begin({.window = 10ms});
  park(0, 3ms);
  EXPECT_THAT(asked(SimTime{10ms}), ElementsAre(0));
  park(1, 12ms);
  park(2, 1h);
  packets_->begin_anew();
  EXPECT_THAT(orders(), ElementsAre("forget 1 verdict_missing", "forget 2 verdict_missing"));
  park(3, 14ms);
  EXPECT_THAT(asked(SimTime{20ms}), ElementsAre(3));
}

TEST_F(ParkedPacketsTest, OrdersAtTheHostsInstantOfTheRelease) {
  begin({.window = 10ms, .pace = Pace::kDilate, .dilation = {500'000}});
  judge({.packet = 4, .receiver = RobotIndex{1}, .release_at = SimTime{30ms}, .ber = 1e-3}, {4});
  ParkedOrder order;
  ASSERT_TRUE(rings_.orders.pop(order));
  EXPECT_EQ(order.packet, 4U);
  EXPECT_EQ(order.to, RobotSlot{1});
  EXPECT_EQ(order.due, bench_->origin + 60ms);
  EXPECT_EQ(order.ber, 1e-3);
  EXPECT_THAT(orders(), ElementsAre("forget 4 verdict_drop"));
}

// Robot 1 has moved to another port, where it has another slot.
TEST_F(ParkedPacketsTest, NamesRobotsByIndexToTheSimulatorAndBySlotToThePath) {
  begin({.window = 10ms});
  packets_->change(TableRobots({RobotIndex{0}, {}, RobotIndex{2}, {}, RobotIndex{1}}));
  ASSERT_TRUE(rings_.parked.push({.id = 0, .arrived = bench_->origin, .from = RobotSlot{4}, .to = RobotSlot{2}}));
  std::vector<CapturedPacket> packets;
  packets_->take(SimTime{10ms}, packets);
  ASSERT_EQ(packets.size(), 1U);
  EXPECT_EQ(packets[0].sender, RobotIndex{1});
  EXPECT_EQ(packets[0].receiver, RobotIndex{2});
  judge({.packet = 0, .receiver = RobotIndex{1}, .release_at = SimTime{30ms}});
  ParkedOrder order;
  ASSERT_TRUE(rings_.orders.pop(order));
  EXPECT_EQ(order.to, RobotSlot{4});
  judge({.packet = 0, .receiver = RobotIndex{3}, .release_at = SimTime{30ms}});
  EXPECT_THAT(orders(), IsEmpty()) << "there is no such robot";
}

TEST_F(ParkedPacketsTest, DropsPacketsOfRobotsThatHaveLeftTheirSlot) {
  begin({.window = 10ms});
  packets_->change(TableRobots({RobotIndex{0}, {}, RobotIndex{2}, {}, RobotIndex{1}}));
  park(0, 0ms, RobotSlot{1});
  ASSERT_TRUE(rings_.parked.push({.id = 1, .arrived = bench_->origin, .from = RobotSlot{1}, .to = RobotSlot{2}}));
  EXPECT_THAT(asked(SimTime{10ms}), IsEmpty());
  EXPECT_THAT(orders(), ElementsAre("forget 0 verdict_missing", "forget 1 verdict_missing"));
}

TEST_F(ParkedPacketsTest, ImmediateReleasesAreImmediateInEveryPace) {
  for (const Pace pace : {Pace::kWall, Pace::kDilate, Pace::kLockstep}) {
    begin({.window = 10ms, .pace = pace, .windows = 1});
    judge({.packet = 4, .receiver = RobotIndex{1}, .release_at = SimTime{30ms}, .at_once = true}, {4});
    ParkedOrder order;
    ASSERT_TRUE(rings_.orders.pop(order));
    EXPECT_EQ(order.due, VerdictRings::kNow);
    EXPECT_THAT(orders(), ElementsAre("forget 4 verdict_drop"));
  }
}

TEST_F(ParkedPacketsTest, AnAbsurdReleaseIsADayAway) {
  begin({.window = 10ms});
  judge({.packet = 4, .receiver = RobotIndex{1}, .release_at = SimTime::max()});
  ParkedOrder order;
  ASSERT_TRUE(rings_.orders.pop(order));
  EXPECT_EQ(order.due, bench_->origin + 24h);
}

TEST_F(ParkedPacketsTest, NamesTheReasonOfEveryLoss) {
  begin({.window = 10ms});
  for (const AirDrop drop : {AirDrop::kOutOfRange, AirDrop::kBitErrors, AirDrop::kCollision, AirDrop::kQueueFull,
                             AirDrop::kOther, AirDrop::kTooLate}) {
    judge({.packet = 4, .receiver = RobotIndex{1}, .drop = drop});
  }
  packets_->expired(std::vector<std::uint64_t>{4});
  EXPECT_THAT(orders(), ElementsAre("drop 4 unreachable", "drop 4 lost_on_air", "drop 4 collision", "drop 4 queue_full",
                                    "drop 4 verdict_drop", "drop 4 verdict_late", "forget 4 verdict_missing"));
}

TEST_F(ParkedPacketsTest, InLockstepOrdersWaitForTheirWindowAndKeepTheirOrder) {
  begin({.window = 10ms, .pace = Pace::kLockstep, .windows = 1});
  judge({.packet = 1, .receiver = RobotIndex{1}, .release_at = SimTime{20ms}}, {1});
  judge({.packet = 0, .receiver = RobotIndex{1}, .release_at = SimTime{10ms}});
  judge({.packet = 0, .receiver = RobotIndex{2}, .release_at = SimTime{20ms}}, {0});
  EXPECT_THAT(orders(), IsEmpty());
  packets_->window_began(SimTime{10ms});
  EXPECT_THAT(orders(), ElementsAre("deliver 0 -"));
  packets_->window_began(SimTime{20ms});
  EXPECT_THAT(orders(), ElementsAre("deliver 1 -", "forget 1 verdict_drop", "deliver 0 -", "forget 0 verdict_drop"));
}

TEST_F(ParkedPacketsTest, AbandonsPacketsThatNoSimulatorWasAskedAbout) {
  begin({.window = 10ms, .packet_hold = 25ms});
  park(0, 3ms);
  bench_->to(30ms);
  packets_->window_began(SimTime{20ms});
  EXPECT_THAT(orders(), IsEmpty());
  packets_->window_began(SimTime{30ms});
  EXPECT_THAT(orders(), ElementsAre("forget 0 verdict_missing"));
  EXPECT_EQ(packets_->unasked(), 1U);
  EXPECT_THAT(asked(SimTime::max()), IsEmpty());
}

TEST_F(ParkedPacketsTest, KeepsPacketsWhenTheRingIsFull) {
  begin({.window = 10ms});
  std::vector<std::uint64_t> packets;
  for (std::uint64_t id = 0; id < 12; ++id) {
    packets.push_back(id);
  }
  packets_->expired(packets);
  EXPECT_EQ(orders().size(), 8U);
  packets_->expired(std::vector<std::uint64_t>{12});
  EXPECT_THAT(orders(), IsEmpty()) << "nothing overtakes";
  packets_->window_began(SimTime{10ms});
  EXPECT_EQ(orders().back(), "forget 12 verdict_missing");
}

}  // namespace
}  // namespace hilgate::test
