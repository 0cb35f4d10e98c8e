// SPDX-License-Identifier: Apache-2.0
// Cells: users who always have something to send get equal time, each at its own rate.
#include <gtest/gtest.h>

#include <array>

#include "path/air/medium.h"
#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kGrantedStart{1s};
constexpr std::uint32_t kPlaces = 4;

// Place 3 may be the base station.
class CellRig {
 public:
  explicit CellRig(bool both_ways = false, bool base = false, bool own_downlink = false)
      : medium_(plan(both_ways, base, own_downlink), 1) {}

  bool send(std::uint32_t from, std::uint32_t to, HostTime at, Nanoseconds air_time, std::uint32_t failing_tries = 0) {
    AirJob job{.arrived = at, .air_time = air_time, .failing_tries = failing_tries, .tries_left = 4, .to = to};
    job.deliveries = base_ && from == 3 ? to : from;
    return medium_.has_room(RobotSlot{from}, HostTime::max(), to) && medium_.enqueue(RobotSlot{from}, job);
  }
  void advance(HostTime now) {
    medium_.advance(now, [this](const AirResult& result) {
      EXPECT_FALSE(result.lost);
      ++frames[result.deliveries];
      last = result.on_air_until;
    });
  }
  // Flows `(from, to, air time)` that always have something to send.
  struct Flow {
    std::uint32_t from, to;
    Nanoseconds air_time;
  };
  void saturate(const std::vector<Flow>& flows, HostTime from, Nanoseconds length) {
    for (HostTime now = from; now < from + length; now += 500us) {
      for (const Flow& flow : flows) {
        while (send(flow.from, flow.to, now, flow.air_time)) {
        }
      }
      advance(now);
    }
  }
  std::array<double, kPlaces> frames{};  // by user
  HostTime last{};
  Medium& medium() { return medium_; }

 private:
  AirPlan plan(bool both_ways, bool base, bool own_downlink) {
    base_ = base;
    AirPlan plan;
    plan.modes = {ht_mcs7()};
    plan.domains.resize(2, AirDomain{.slot = 0ns,
                                     .difs = 0ns,
                                     .cw_min = 0,
                                     .cw_max = 0,
                                     .access = MediumAccess::kScheduled,
                                     .both_ways = both_ways});
    plan.stations.resize(kPlaces, Station{.domain = 0, .queue_frames = 10});
    plan.stations[3]->base = base;
    plan.stations[3]->domain = own_downlink ? 1 : 0;
    return plan;
  }
  bool base_ = false;
  Medium medium_;
};

TEST(Cell, UsersShareItEquallyAndNothingIsWasted) {
  CellRig cell;
  cell.saturate({{0, 3, 1ms}, {1, 3, 1ms}, {2, 3, 1ms}}, kGrantedStart, 3s);
  for (std::uint32_t user = 0; user < 3; ++user) {
    EXPECT_NEAR(cell.frames[user], 1000, 10);
  }
}

TEST(Cell, ASecondUserHalvesTheFirstOnesRate) {
  CellRig alone;
  alone.saturate({{0, 3, 1ms}}, kGrantedStart, 2s);
  EXPECT_NEAR(alone.frames[0], 2000, 5);
  CellRig shared;
  shared.saturate({{0, 3, 1ms}, {1, 3, 1ms}}, kGrantedStart, 2s);
  EXPECT_NEAR(shared.frames[0], 1000, 5);
}

TEST(Cell, SharesAreOfTimeAndNotOfFrames) {
  CellRig cell;
  cell.saturate({{0, 3, 1ms}, {1, 3, 3ms}}, kGrantedStart, 6s);
  EXPECT_NEAR(cell.frames[0], 3000, 30);
  EXPECT_NEAR(cell.frames[1], 1000, 10);
}

TEST(Cell, RepeatsAreTimeOfTheirUser) {
  CellRig cell;
  for (HostTime now = kGrantedStart; now < kGrantedStart + 6s; now += 500us) {
    while (cell.send(0, 3, now, 1ms)) {
    }
    while (cell.send(1, 3, now, 1ms, 2)) {  // every frame goes three times
    }
    cell.advance(now);
  }
  EXPECT_NEAR(cell.frames[0], 3000, 30);
  EXPECT_NEAR(cell.frames[1], 1000, 10);
}

TEST(Cell, SilentStationsDoNotAccumulateCredit) {
  CellRig cell;
  cell.saturate({{0, 3, 1ms}}, kGrantedStart, 2s);
  cell.frames = {};
  cell.saturate({{0, 3, 1ms}, {1, 3, 1ms}}, kGrantedStart + 2s, 1s);
  EXPECT_NEAR(cell.frames[0], 500, 15);
  EXPECT_NEAR(cell.frames[1], 500, 15);
}

TEST(Cell, TheBaseStationSharesItsAirAmongReceivers) {
  CellRig cell(false, true, true);
  cell.saturate({{3, 0, 1ms}, {3, 1, 3ms}}, kGrantedStart, 6s);
  EXPECT_NEAR(cell.frames[0], 3000, 30);
  EXPECT_NEAR(cell.frames[1], 1000, 10) << "its slow receiver does not fill the queue of the fast one";
}

TEST(Cell, UplinkAndDownlinkHaveAirOfTheirOwnWithFdd) {
  CellRig cell(false, true, true);
  cell.saturate({{3, 0, 1ms}, {1, 3, 1ms}}, kGrantedStart, 2s);
  EXPECT_NEAR(cell.frames[0], 2000, 5);
  EXPECT_NEAR(cell.frames[1], 2000, 5);
}

TEST(Cell, UplinkAndDownlinkShareItWithTdd) {
  CellRig cell(true, true);
  cell.saturate({{3, 0, 1ms}, {1, 3, 1ms}}, kGrantedStart, 2s);
  EXPECT_NEAR(cell.frames[0], 1000, 5);
  EXPECT_NEAR(cell.frames[1], 1000, 5);
}

TEST(Cell, FromUserToUserAFrameTakesTheAirOfBothWays) {
  CellRig cell(true);
  cell.send(0, 1, kGrantedStart, 1ms);
  cell.advance(kGrantedStart + 10ms);
  EXPECT_EQ(cell.last, kGrantedStart + 2ms);
  EXPECT_EQ(cell.medium().busy(0), 2ms);
}

TEST(Cell, WaitingFramesContinueWithAnotherConfiguration) {
  CellRig before(false, true, true);
  for (int i = 0; i < 5; ++i) {
    before.send(3, 0, kGrantedStart, 1ms);
    before.send(3, 1, kGrantedStart, 1ms);
  }
  CellRig after(true, true);
  after.medium().take_over(before.medium(), kGrantedStart,
                           [](const AirResult&) { FAIL() << "nobody lost its station"; });
  EXPECT_EQ(after.medium().queued(RobotSlot{3}), 10U);
  after.advance(kGrantedStart + 1s);
  EXPECT_EQ(after.frames[0], 5);
  EXPECT_EQ(after.frames[1], 5);
}

}  // namespace
}  // namespace hilgate::test
