// SPDX-License-Identifier: Apache-2.0
// Which access point stations are at, and for how long at none.
#include "netsim_link/embedded/association.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using State = Attachment::State;

constexpr std::uint32_t kStation = 0;
constexpr std::uint32_t kWestPoint = 1;
constexpr std::uint32_t kEastPoint = 2;
constexpr float kSilent = -200;

const std::vector<AirRole> kRoles = {AirRole::kStation, AirRole::kAccessPoint, AirRole::kAccessPoint};

/// A station between two access points, of which it hears what the test says.
class Walk {
 public:
  explicit Walk(const Roaming& rules = {}, Nanoseconds window = 1ms)
      : association_(rules, kRoles, std::vector<Attachment>(kRoles.size())), window_(window) {
    table_.links.resize(kRoles.size() * kRoles.size());
  }

  /// Hears these powers, dBm, for so long; kSilent is below its sensitivity.
  void hear(float west, float east, Nanoseconds length) {
    for (const SimTime end = table_.at + length; table_.at < end; table_.at += window_) {
      set(kWestPoint, west);
      set(kEastPoint, east);
      association_.update(table_);
      const State state = table_.attachments[kStation].state;
      roamed += state == State::kRoaming ? window_ : 0ns;
      without += state != State::kAttached ? window_ : 0ns;
    }
  }
  [[nodiscard]] Attachment at() const { return table_.attachments[kStation]; }

  Nanoseconds roamed{0};
  Nanoseconds without{0};

 private:
  void set(std::uint32_t access_point, float dbm) {
    LinkState& link = table_.links[link_of(RobotIndex{access_point}, RobotIndex{kStation}, kRoles.size()).value()];
    link.reachable = dbm > kSilent;
    link.rssi_dbm = dbm;
  }

  Association association_;
  Nanoseconds window_;
  LinkTable table_;
};

const Attachment kAtWest{State::kAttached, RobotIndex{kWestPoint}};
const Attachment kAtEast{State::kAttached, RobotIndex{kEastPoint}};

TEST(Association, BeginsAtTheStrongestAccessPoint) {
  Walk walk;
  walk.hear(-70, -60, 1ms);
  EXPECT_EQ(walk.at(), kAtEast);
  EXPECT_EQ(walk.without, 0ns);
}

TEST(Association, HysteresisKeepsAStationWhereItIs) {
  Walk walk({.hysteresis = {8}});
  walk.hear(-60, -70, 1ms);
  walk.hear(-60, -53, 5s);  // stronger by 7 dB
  EXPECT_EQ(walk.at(), kAtWest);
  EXPECT_EQ(walk.without, 0ns);
  walk.hear(-60, -51, 5s);  // by 9 dB
  EXPECT_EQ(walk.at(), kAtEast);
}

TEST(Association, AStationContentWithItsOwnDoesNotLookForAnother) {
  Walk walk({.hysteresis = {8}, .scan_below = Dbm{-70}});
  walk.hear(-60, -70, 1ms);
  walk.hear(-60, -40, 5s);
  EXPECT_EQ(walk.at(), kAtWest);
  walk.hear(-71, -40, 5s);
  EXPECT_EQ(walk.at(), kAtEast);
}

TEST(Association, BreakIsAsLongAsConfiguredWhateverTheWindow) {
  for (const Nanoseconds window : {Nanoseconds{500us}, Nanoseconds{1ms}, Nanoseconds{20ms}}) {
    SCOPED_TRACE(window.count());
    Walk walk({.outage = 200ms}, window);
    walk.hear(-60, -70, 1s);
    walk.hear(-80, -50, 2s);
    EXPECT_EQ(walk.at(), kAtEast);
    EXPECT_EQ(walk.roamed, 200ms);
    EXPECT_EQ(walk.without, 200ms);
  }
}

TEST(Association, AveragesBeaconsSoThatAMomentDoesNotMatter) {
  Walk walk({.hysteresis = {8}, .beacon = 100ms});
  walk.hear(-60, -70, 1s);
  walk.hear(-60, -45, 100ms);  // one beacon: the average rises by 6.25 dB
  walk.hear(-60, -70, 5s);
  EXPECT_EQ(walk.at(), kAtWest);
  EXPECT_EQ(walk.without, 0ns);
}

TEST(Association, IsLostAfterMissedBeaconsAndReturnsAfterTheBreak) {
  Walk walk({.outage = 200ms, .beacon = 100ms, .missed = 7});
  walk.hear(-60, kSilent, 1s);
  walk.hear(kSilent, kSilent, 600ms);  // six beacons
  EXPECT_EQ(walk.at(), kAtWest);
  walk.hear(kSilent, kSilent, 200ms);
  EXPECT_EQ(walk.at().state, State::kRoaming);
  walk.hear(kSilent, kSilent, 1s);
  EXPECT_EQ(walk.at().state, State::kNone);
  walk.hear(kSilent, -80, 150ms);
  EXPECT_EQ(walk.at().state, State::kRoaming);
  walk.hear(kSilent, -80, 300ms);
  EXPECT_EQ(walk.at(), kAtEast);
}

TEST(Association, RoamsToTheStrongestWhenTheBreakEnds) {
  Walk walk({.outage = 1s});
  walk.hear(-60, -70, 1s);
  walk.hear(-75, -50, 900ms);  // sets out for the east
  EXPECT_EQ(walk.at().state, State::kRoaming);
  walk.hear(-40, -90, 2s);  // and is carried back
  EXPECT_EQ(walk.at(), kAtWest);
}

TEST(Association, AskingTwiceForOneInstantChangesNothing) {
  Association association({}, kRoles, std::vector<Attachment>(kRoles.size()));
  LinkTable table;
  table.links.resize(kRoles.size() * kRoles.size());
  for (LinkState& link : table.links) {
    link.rssi_dbm = -60;
  }
  association.update(table);
  const std::vector<Attachment> first = table.attachments;
  for (LinkState& link : table.links) {
    link.reachable = false;
  }
  for (int i = 0; i < 100; ++i) {
    association.update(table);
  }
  EXPECT_EQ(table.attachments, first);
}

}  // namespace
}  // namespace hilgate::test
