// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/zero_choice.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kMorning{Nanoseconds{1'795'510'000'000'000'000}};
constexpr WallTime kNoon = kMorning + 4h;
constexpr HostTime kChoiceStart{Nanoseconds{5'000'000'000}};

/// A gateway that looks each 100 ms.
struct Looking {
  ZeroChoice choice{500us};
  HostTime now = kChoiceStart;

  void look(Nanoseconds span, std::optional<WallTime> own, const std::vector<WallTime>& said) {
    for (const HostTime end = now + span; now < end; now += 100ms) {
      choice.look(now, own, said);
    }
  }
};

}  // namespace

TEST(ZeroChoiceTest, SimulationOfTheMajorityContinues) {
  Looking few;
  few.look(900ms, kMorning, {kNoon, kNoon + 100us});
  EXPECT_EQ(few.choice.told(), kMorning);
  EXPECT_EQ(few.choice.wanted(), std::nullopt) << "others may yet be heard";
  few.look(200ms, kMorning, {kNoon, kNoon + 100us});
  EXPECT_EQ(few.choice.wanted(), kNoon);
  EXPECT_EQ(few.choice.told(), kMorning) << "until it has begun anew";
  few.look(100ms, std::nullopt, {kNoon, kNoon});
  EXPECT_EQ(few.choice.told(), std::nullopt);
  few.look(2s, kNoon, {kNoon, kNoon});
  EXPECT_EQ(few.choice.told(), kNoon);
  EXPECT_EQ(few.choice.wanted(), std::nullopt);
  Looking many;
  many.look(5s, kNoon, {kMorning, kNoon});
  EXPECT_EQ(many.choice.wanted(), std::nullopt);
  EXPECT_EQ(many.choice.told(), kNoon);
}

TEST(ZeroChoiceTest, OfEqualSizesTheOlderOneContinues) {
  Looking older;
  older.look(5s, kMorning, {kNoon});
  EXPECT_EQ(older.choice.wanted(), std::nullopt);
  Looking younger;
  younger.look(5s, kNoon, {kMorning});
  EXPECT_EQ(younger.choice.wanted(), kMorning);
  Looking of_three;
  of_three.look(5s, kNoon + 1s, {kNoon, kMorning});
  EXPECT_EQ(of_three.choice.wanted(), kMorning);
}

TEST(ZeroChoiceTest, TransientSightingMovesNoClock) {
  Looking gateway;
  for (int i = 0; i < 10; ++i) {
    gateway.look(900ms, kNoon, {kMorning, kMorning});
    EXPECT_EQ(gateway.choice.wanted(), std::nullopt);
    gateway.look(100ms, kNoon, {});
  }
  gateway.look(900ms, kNoon, {kMorning, kMorning});
  gateway.look(900ms, kNoon, {kMorning + 1s, kMorning + 1s});
  EXPECT_EQ(gateway.choice.wanted(), std::nullopt) << "that is another one";
}

// Its clock went back by 2 s and was slewed on again: its zero would be the older one of two.
TEST(ZeroChoiceTest, SteppedClockMovesNoOther) {
  Looking stepped;
  stepped.look(2s, kNoon, {kNoon});
  stepped.look(500ms, kNoon - 2s, {});
  EXPECT_EQ(stepped.choice.told(), std::nullopt) << "the others' clocks are apart";
  stepped.look(1s, kNoon - 2s, {kNoon});
  EXPECT_EQ(stepped.choice.told(), std::nullopt);
  EXPECT_EQ(stepped.choice.wanted(), std::nullopt);
  stepped.look(200ms, kNoon - 2s, {kNoon});
  EXPECT_EQ(stepped.choice.wanted(), kNoon);
}

TEST(ZeroChoiceTest, AClockThatWasSteppedAndBackIsAsBefore) {
  Looking gateway;
  gateway.look(2s, kNoon, {kNoon});
  gateway.look(900ms, kNoon - 2s, {kNoon});
  gateway.look(100ms, kNoon, {kNoon});
  EXPECT_EQ(gateway.choice.told(), kNoon);
  gateway.look(5s, kNoon, {kNoon});
  EXPECT_EQ(gateway.choice.wanted(), std::nullopt);
}

TEST(ZeroChoiceTest, IsolatedGatewayFollowsItsOwnClock) {
  Looking gateway;
  gateway.look(100ms, kNoon, {});
  gateway.look(900ms, kNoon - 2s, {});
  EXPECT_EQ(gateway.choice.told(), std::nullopt);
  gateway.look(300ms, kNoon - 2s, {});
  EXPECT_EQ(gateway.choice.told(), kNoon - 2s);
  EXPECT_EQ(gateway.choice.wanted(), std::nullopt);
}

// The clock that all follow was stepped: nobody begins anew.
TEST(ZeroChoiceTest, AStepOfAllClocksLeavesTheSiteAsItIs) {
  Looking one;
  Looking other;
  const auto look = [&](Nanoseconds span, WallTime zero) {
    for (Nanoseconds passed{0}; passed < span; passed += 100ms) {
      const auto said = [](const Looking& from) {
        return from.choice.told() ? std::vector<WallTime>{*from.choice.told()} : std::vector<WallTime>{};
      };
      one.look(100ms, zero, said(other));
      other.look(100ms, zero, said(one));
      EXPECT_EQ(one.choice.wanted(), std::nullopt);
      EXPECT_EQ(other.choice.wanted(), std::nullopt);
    }
  };
  look(3s, kNoon);
  look(3s, kNoon + 37s);
  EXPECT_EQ(one.choice.told(), kNoon + 37s);
  EXPECT_EQ(other.choice.told(), kNoon + 37s);
}

TEST(ZeroChoiceTest, GatewaysThatDifferInMoreThanTheirZeroAreNotCounted) {
  const auto zeros = [](PeerState state, std::optional<Nanoseconds> offset) {
    SiteReport site;
    PeerReport& peer = site.peers.emplace_back().report;
    peer.state = state;
    peer.clock_offset = offset;
    peer.zero = kNoon;
    return zeros_of(site).size();
  };
  EXPECT_EQ(zeros(PeerState::kHere, 1us), 1U);
  EXPECT_EQ(zeros(PeerState::kOtherZero, 1us), 1U);
  EXPECT_EQ(zeros(PeerState::kBeginning, 1us), 1U) << "as this gateway sees it while it has no zero itself";
  EXPECT_EQ(zeros(PeerState::kBeginning, std::nullopt), 0U);
  for (const PeerState state : {PeerState::kAwaited, PeerState::kMissing, PeerState::kOtherKey,
                                PeerState::kOtherConfiguration, PeerState::kOtherVersion, PeerState::kClockApart}) {
    EXPECT_EQ(zeros(state, 1us), 0U);
  }
}

}  // namespace hilgate::test
