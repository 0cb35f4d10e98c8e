// SPDX-License-Identifier: Apache-2.0
#include "path/air/audiences.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/path/air/overlap_air.h"

namespace hilgate::test {
namespace {

using Members = std::vector<std::uint32_t>;

/// Station 0 is sensed and can be received by all, until signals are set anew.
class AudiencesTest : public testing::Test {
 protected:
  static constexpr std::uint32_t kStations = 70;  // more than a machine's word has bits

  AudiencesTest() {
    for (std::uint32_t member = 0; member < kStations; ++member) {
      members_.push_back(member);
    }
    set_all(-60, true);
    audiences_.reserve(kStations);
  }
  void set_all(float dbm, bool reachable) {
    for (LinkState& link : links_) {
      link = {.rssi_dbm = dbm, .reachable = reachable};
    }
    transmitters_.set_signals({links_, {}, kStations});
  }
  LinkState& from_first(std::uint32_t to) { return links_[to]; }
  Members sensing(std::uint32_t robot) {
    Members found;
    audiences_.each_sensing(robot, [&](std::uint32_t member) { found.push_back(member); });
    return found;
  }
  Members reached(const Members& starting) {
    Members found;
    audiences_.each_reached(starting, [&](std::uint32_t member) { found.push_back(member); });
    return found;
  }

  Transmitters transmitters_{OverlapAir::plan(kStations), 1, 0};
  Members members_;
  std::vector<LinkState> links_{std::size_t{kStations} * kStations};
  Audiences audiences_{transmitters_, members_, kSense};
};

TEST_F(AudiencesTest, AreAllWhoAreInReach) {
  EXPECT_EQ(sensing(0), members_);
  EXPECT_EQ(reached({0}), members_);
}

TEST_F(AudiencesTest, SenseWhatTheyCannotReceiveAndTheOtherWayRound) {
  EXPECT_EQ(sensing(0).size(), kStations);
  set_all(kSense - 1, false);
  from_first(66) = {.rssi_dbm = kSense, .reachable = false};
  from_first(67) = {.rssi_dbm = kSense - 1, .reachable = true};
  transmitters_.set_signals({links_, {}, kStations});
  EXPECT_EQ(sensing(0), (Members{0, 66})) << "itself, and who is at the threshold";
  EXPECT_EQ(reached({0}), (Members{67}));
  EXPECT_EQ(reached({1, 0}), (Members{67}));
  EXPECT_EQ(sensing(1), (Members{1}));
}

TEST_F(AudiencesTest, FollowTheMembers) {
  EXPECT_EQ(sensing(0).size(), kStations);
  members_.erase(members_.begin() + 1, members_.begin() + 69);
  audiences_.members_changed();
  EXPECT_EQ(sensing(0), (Members{0, 69}));
  EXPECT_EQ(sensing(5), (Members{0, 69})) << "a robot that is in the domain no more";
}

TEST_F(AudiencesTest, OfARobotWithoutATransmitterAreThoseOfItsSignals) {
  transmitters_.set_signals({});
  EXPECT_EQ(sensing(kStations + 3), members_) << "without signals all are equally strong";
}

TEST(SignalPowersTest, AreThoseOfTheNewestSignals) {
  std::vector<LinkState> links(4, LinkState{.rssi_dbm = -60});
  SignalPowers powers(2);
  powers.set({links, {}, 2});
  EXPECT_EQ(powers.of(0)[1], -60);
  links[1].rssi_dbm = -70;
  powers.set({links, {}, 2});
  EXPECT_EQ(powers.of(0)[1], -70);
  powers.set({});
  EXPECT_EQ(powers.of(0)[1], 0) << "equally strong";
}

}  // namespace
}  // namespace hilgate::test
