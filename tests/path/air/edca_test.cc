// SPDX-License-Identifier: Apache-2.0
// Access categories of EDCA: who is first, who yields, and who keeps the medium.
#include <gtest/gtest.h>

#include <map>

#include "tests/path/air/overlap_air.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using enum AccessCategory;

constexpr std::array<EdcaParameters, kAccessCategories> kStandard = {
    {{.aifsn = 3, .cw_min = 15, .cw_max = 1023},
     {.aifsn = 7, .cw_min = 15, .cw_max = 1023},
     {.aifsn = 2, .cw_min = 7, .cw_max = 15, .txop = 4096us},
     {.aifsn = 2, .cw_min = 3, .cw_max = 7, .txop = 2080us}}};

AirPlan with_edca(std::uint32_t stations) {
  AirPlan plan = OverlapAir::plan(stations);
  for (auto& station : plan.stations) {
    station->edca = kStandard;
  }
  return plan;
}

/// Stations that send to the last one.
class Categories {
 public:
  explicit Categories(std::uint32_t senders) : last_(senders), air_(with_edca(senders + 1)) {}

  bool send(std::uint32_t from, AccessCategory category, HostTime at, std::uint32_t tries = 7) {
    AirJob job = OverlapAir::job(at, last_, tries);
    job.category = category;
    job.deliveries = from * kAccessCategories + static_cast<std::uint32_t>(category);
    return air_.medium().enqueue(RobotSlot{from}, job);
  }
  /// Frames that were received until then, by station and category.
  std::map<std::pair<std::uint32_t, AccessCategory>, std::uint32_t> count(Nanoseconds time) {
    std::map<std::pair<std::uint32_t, AccessCategory>, std::uint32_t> counts;
    for (const OverlapAir::End& end : air_.advance(kOverlapStart + time)) {
      if (!end.lost) {
        ++counts[{end.station / kAccessCategories, static_cast<AccessCategory>(end.station % kAccessCategories)}];
      }
    }
    return counts;
  }
  std::vector<OverlapAir::End> advance(Nanoseconds time) { return air_.advance(kOverlapStart + time); }

 private:
  std::uint32_t last_;
  OverlapAir air_;
};

TEST(Edca, EachCategoryHasItsQueue) {
  Categories air(1);
  for (const AccessCategory category : {kBestEffort, kBackground, kVideo, kVoice}) {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(air.send(0, category, kOverlapStart));
    }
    EXPECT_FALSE(air.send(0, category, kOverlapStart)) << "its 100 slots are taken";
  }
}

TEST(Edca, HigherCategoryOfAStationIsSentFirst) {
  Categories air(1);
  for (const AccessCategory category : {kBackground, kBestEffort, kVideo, kVoice}) {
    air.send(0, category, kOverlapStart);
  }
  std::vector<std::uint32_t> order;
  for (const OverlapAir::End& end : air.advance(20ms)) {
    order.push_back(end.station);
    EXPECT_FALSE(end.lost) << "categories of one station do not collide on the air";
  }
  ASSERT_EQ(order.size(), 4U);
  EXPECT_EQ(order.front(), static_cast<std::uint32_t>(kVoice));
}

// With equal draws two categories of as many slots would always end together, and the lower one always yield.
TEST(Edca, CategoriesOfAStationDrawTheirOwnBackoffs) {
  AirPlan plan = with_edca(2);
  for (auto& station : plan.stations) {
    station->edca->fill({.aifsn = 2, .cw_min = 1023, .cw_max = 1023});
  }
  OverlapAir air(plan);
  for (std::uint32_t i = 0; i < 100; ++i) {
    for (const AccessCategory category : {kVideo, kVoice}) {
      AirJob job = OverlapAir::job(kOverlapStart, 1, 7);
      job.category = category;
      job.deliveries = static_cast<std::uint32_t>(category);
      air.medium().enqueue(RobotSlot{0}, job);
    }
  }
  std::uint32_t twice = 0;  // one category after itself
  std::uint32_t last = 0;
  for (const OverlapAir::End& end : air.advance(kOverlapStart + 10s)) {
    twice += end.station == last ? 1 : 0;
    last = end.station;
  }
  EXPECT_LT(twice, 150) << "of 200";
}

TEST(Edca, AnOpportunityHoldsFramesOneSifsApart) {
  Categories air(1);
  for (int i = 0; i < 20; ++i) {
    air.send(0, kVoice, kOverlapStart);
  }
  const auto ends = air.advance(20ms);
  ASSERT_EQ(ends.size(), 20U);
  // Of 228 us, 44 us of SIFS and acknowledgement, and a SIFS of 16 us before the next: seven in 2080 us.
  std::uint32_t apart_by_sifs = 0;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const Nanoseconds gap = ends[i].on_air_until - ends[i - 1].on_air_until;
    apart_by_sifs += gap == 228us + 44us + 16us ? 1 : 0;
    EXPECT_GE(gap, 228us + 44us + 16us);
  }
  EXPECT_EQ(apart_by_sifs, 6 + 6 + 5);
}

TEST(Edca, BestEffortHasOneFrameAnOpportunity) {
  Categories air(1);
  for (int i = 0; i < 20; ++i) {
    air.send(0, kBestEffort, kOverlapStart);
  }
  const auto ends = air.advance(50ms);
  ASSERT_EQ(ends.size(), 20U);
  for (std::size_t i = 1; i < ends.size(); ++i) {
    EXPECT_GE(ends[i].on_air_until - ends[i - 1].on_air_until, 228us + 44us + 34us + 9us);
  }
}

TEST(Edca, HigherCategoriesOfOtherStationsTakeMost) {
  Categories air(2);
  std::map<std::pair<std::uint32_t, AccessCategory>, std::uint32_t> all;
  for (Nanoseconds at{0}; at < 1s; at += 5ms) {
    while (air.send(0, kBestEffort, kOverlapStart + at)) {
    }
    while (air.send(1, kBackground, kOverlapStart + at)) {
    }
    for (const auto& [who, frames] : air.count(at + 5ms)) {
      all[who] += frames;
    }
  }
  const double best = all[{0, kBestEffort}];
  const double background = all[{1, kBackground}];
  EXPECT_GT(best, 2 * background);
  EXPECT_GT(background, 100);
}

TEST(Edca, TheCategoryIsThatOfThePrecedenceBits) {
  OverlapAir air(with_edca(2));
  const auto category = [&air](std::initializer_list<unsigned> bytes) {
    std::vector<std::byte> packet;
    for (const unsigned byte : bytes) {
      packet.push_back(std::byte{static_cast<unsigned char>(byte)});
    }
    return air.medium().category_of(RobotSlot{0}, packet);
  };
  EXPECT_EQ(category({0x45, 0x00}), kBestEffort);
  EXPECT_EQ(category({0x45, 46 << 2}), kVideo) << "EF, precedence 5";
  EXPECT_EQ(category({0x45, 48 << 2}), kVoice) << "CS6";
  EXPECT_EQ(category({0x45, 8 << 2}), kBackground) << "CS1";
  EXPECT_EQ(category({0x45, 24 << 2}), kBestEffort) << "CS3";
  EXPECT_EQ(category({0x6C, 0x00}), kVoice) << "IPv6, CS6";
  EXPECT_EQ(category({0x62, 0x00}), kBackground) << "IPv6, CS1";
  EXPECT_EQ(category({0x00, 0x01}), kBestEffort) << "ARP";
  EXPECT_EQ(category({}), kBestEffort);
  OverlapAir without(2);
  const std::vector<std::byte> voice = {std::byte{0x45}, std::byte{48 << 2}};
  EXPECT_EQ(without.medium().category_of(RobotSlot{0}, voice), kBestEffort) << "one queue";
}

}  // namespace
}  // namespace hilgate::test
