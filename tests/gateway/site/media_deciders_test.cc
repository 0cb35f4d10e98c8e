// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/shared_media.h"

#include <gtest/gtest.h>

#include <chrono>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kMoment{Nanoseconds{1'795'510'000'300'000'000}};  // 0.3 s behind a whole second
constexpr WallTime kLongAgo = kMoment - 1h;

// Robots 0 and 3 at gateway 2, robot 1 at 0, robot 2 at 1; one medium for all of them.
SharedMedia hall() {
  return {.media = {{"hall", {2, 0, 1}}}, .of_robot = {0, 0, 0, 0}};
}

AirPlan plan(std::vector<std::optional<std::uint32_t>> domains) {
  AirPlan air;
  air.domains.resize(2);
  air.domains[0].name = "north";
  air.domains[1].name = "south";
  for (const auto& domain : domains) {
    air.stations.push_back(domain ? std::optional(Station{.domain = *domain}) : std::nullopt);
  }
  return air;
}

}  // namespace

TEST(SharedMediaTest, IsDecidedWhereMostStationsAreAndElseByTheOrderOfTheFile) {
  const AirPlan air = plan({0, 0, 0, 0, 1, 1, std::nullopt});
  const SharedMedia shared = shared_media(MediaGroups(air), {2, 0, 1, 2, 1, 1, 0});
  ASSERT_EQ(shared.media.size(), 1U);
  EXPECT_EQ(shared.media[0].name, "north");
  EXPECT_EQ(shared.media[0].deciders, (std::vector<std::uint32_t>{2, 0, 1}));
  EXPECT_EQ(shared.of(0), 0U);
  EXPECT_EQ(shared.of(4), SharedMedia::kNone) << "all stations of that medium are at one gateway";
  EXPECT_EQ(shared.of(6), SharedMedia::kNone) << "no radio";
  EXPECT_EQ(shared.of(70), SharedMedia::kNone);
  EXPECT_TRUE(shared.may_decide(1, 0));
  EXPECT_FALSE(shared.may_decide(1, 4));
}

TEST(SharedMediaTest, AGatewayWithoutStationsNeverDecides) {
  const AirPlan air = plan({0, 0});
  EXPECT_FALSE(shared_media(MediaGroups(air), {0, 2}).may_decide(1, 0));
}

TEST(SharedMediaTest, ANetworkOfAccessPointsIsOneMedium) {
  AirPlan air = plan({0, 1, std::nullopt, 0, 1});
  air.roles = {AirRole::kStation, AirRole::kStation, AirRole::kWired, AirRole::kAccessPoint, AirRole::kAccessPoint};
  const SharedMedia shared = shared_media(MediaGroups(air), {0, 1, 1});
  ASSERT_EQ(shared.media.size(), 1U);
  EXPECT_EQ(shared.media[0].name, "access points");
  EXPECT_EQ(shared.media[0].deciders, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(shared.of(2), 0U) << "by cable";
  EXPECT_EQ(shared.of(3), SharedMedia::kNone) << "an access point is no robot";
}

TEST(SharedMediaTest, RobotsOfANetworkSimulatorMayBeAtAnyGateway) {
  const SharedMedia shared = judged_media(4, 3);
  ASSERT_EQ(shared.media.size(), 1U);
  EXPECT_EQ(shared.media[0].deciders, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_TRUE(shared.appointed);
  EXPECT_TRUE(shared.may_decide(2, 3));
  EXPECT_FALSE(shared.may_decide(2, 4)) << "no robot";
  EXPECT_FALSE(shared.may_decide(3, 0)) << "no gateway";
}

TEST(MediaDecidersTest, NoGatewayDecidesBeforeAnAppointment) {
  MediaDeciders deciders(judged_media(4, 3), 1, 3);
  deciders.begin(kMoment);
  deciders.see(0, true, kLongAgo, kMoment);
  deciders.choose(kMoment + 1h);
  EXPECT_EQ(deciders.decider(0), SharedMedia::kNone) << "who is here says nothing of simulators";
  EXPECT_FALSE(deciders.decided_here(0).load());
  EXPECT_FALSE(deciders.next());
  deciders.appoint(2);
  deciders.choose(kMoment + 2h);
  EXPECT_EQ(deciders.decider(0), 2U);
  EXPECT_FALSE(deciders.decided_here(0).load());
  deciders.appoint(1);
  EXPECT_TRUE(deciders.decided_here(0).load());
  deciders.appoint(std::nullopt);
  EXPECT_EQ(deciders.decider(0), SharedMedia::kNone);
  EXPECT_FALSE(deciders.decided_here(0).load());
}

TEST(MediaDecidersTest, MediaOfRadiosAreNotAppointed) {
  MediaDeciders deciders(hall(), 1, 3);
  deciders.appoint(0);
  EXPECT_EQ(deciders.decider(0), 1U);
}

TEST(MediaDecidersTest, DecidesAloneUntilOthersAppear) {
  MediaDeciders deciders(hall(), 1, 3);
  EXPECT_TRUE(deciders.decided_here(0).load());
  EXPECT_EQ(deciders.decider(0), 1U);
  deciders.choose(kMoment);
  EXPECT_EQ(deciders.decider(0), 1U);
}

TEST(MediaDecidersTest, FirstPresentGatewayDecidesAndTheNextAfterItsLoss) {
  MediaDeciders deciders(hall(), 1, 3);
  deciders.begin(kLongAgo);
  deciders.see(0, true, kLongAgo, kMoment);
  deciders.see(2, true, kLongAgo, kMoment);
  deciders.choose(kMoment);
  EXPECT_EQ(deciders.decider(0), 2U);
  EXPECT_FALSE(deciders.decided_here(0).load());
  deciders.see(2, false, kLongAgo, kMoment + 1s);
  deciders.choose(kMoment + 1s);
  EXPECT_EQ(deciders.decider(0), 0U);
  deciders.see(0, false, kLongAgo, kMoment + 2s);
  deciders.choose(kMoment + 2s);
  EXPECT_TRUE(deciders.decided_here(0).load());
  EXPECT_FALSE(deciders.next());
}

TEST(MediaDecidersTest, StartingGatewayDecidesFromItsAnnouncedWindow) {
  MediaDeciders deciders(hall(), 1, 3);
  deciders.begin(kLongAgo);
  deciders.see(0, true, kLongAgo, kMoment);
  const WallTime from = kMoment + 1700ms;
  deciders.see(2, true, from, kMoment);
  deciders.choose(kMoment);
  EXPECT_EQ(deciders.decider(0), 0U);
  EXPECT_EQ(deciders.next(), from);
  deciders.choose(from - 1ns);
  EXPECT_EQ(deciders.decider(0), 0U);
  deciders.choose(from);
  EXPECT_EQ(deciders.decider(0), 2U);
  EXPECT_FALSE(deciders.next());
}

TEST(MediaDecidersTest, RejoinedGatewayDecidesFromAFullSecond) {
  MediaDeciders deciders(hall(), 1, 3);
  deciders.begin(kLongAgo);
  deciders.see(2, true, kLongAgo, kMoment);
  deciders.see(2, false, kLongAgo, kMoment + 1s);
  deciders.choose(kMoment + 1s);
  EXPECT_EQ(deciders.decider(0), 1U);
  deciders.see(2, true, kLongAgo, kMoment + 5s);
  deciders.choose(kMoment + 5s);
  EXPECT_EQ(deciders.decider(0), 1U);
  ASSERT_TRUE(deciders.next());
  EXPECT_EQ(*deciders.next(), kMoment + 6700ms);
  deciders.choose(*deciders.next());
  EXPECT_EQ(deciders.decider(0), 2U);
}

TEST(MediaDecidersTest, ItselfDecidesFromAWholeSecondOnWhenOthersDo) {
  MediaDeciders deciders(hall(), 2, 3);
  EXPECT_FALSE(deciders.decides_from());
  deciders.begin(kMoment);
  deciders.begin(kMoment + 1h);
  EXPECT_EQ(deciders.decides_from(), kMoment + 1700ms);
  deciders.see(0, true, kLongAgo, kMoment);
  deciders.choose(kMoment);
  EXPECT_EQ(deciders.decider(0), 0U);
  deciders.choose(kMoment + 1700ms);
  EXPECT_TRUE(deciders.decided_here(0).load());
}

TEST(MediaDecidersTest, WhereAllStartTheFirstDecidesAtOnce) {
  MediaDeciders deciders(hall(), 1, 3);
  deciders.begin(kMoment);
  deciders.see(2, true, kMoment + 1700ms, kMoment);
  deciders.see(0, true, kMoment + 1700ms, kMoment);
  deciders.choose(kMoment);
  EXPECT_EQ(deciders.decider(0), 2U);
}

}  // namespace hilgate::test
