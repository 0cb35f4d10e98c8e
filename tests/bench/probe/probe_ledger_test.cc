// SPDX-License-Identifier: Apache-2.0
#include "bench/probe/probe_packet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace hilgate::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr Nanoseconds kGrace = seconds{2};
const ProbePlan kPlan{.start = HostTime{seconds{100}}, .interval = milliseconds{10}, .count = 5};
const HostTime kAllDue = kPlan.due(4);

std::vector<std::uint64_t> lost_at(ProbeLedger& ledger, HostTime now) {
  std::vector<std::uint64_t> lost;
  ledger.settle(now, [&lost](std::uint64_t sequence) { lost.push_back(sequence); });
  return lost;
}

TEST(ProbeLedger, ArrivalsInOrderCompleteTheRun) {
  ProbeLedger ledger(kPlan, kGrace);
  for (std::uint64_t sequence = 0; sequence < 5; ++sequence) {
    EXPECT_FALSE(ledger.complete());
    EXPECT_TRUE(ledger.arrived(sequence, kAllDue));
  }
  EXPECT_TRUE(ledger.complete());
  EXPECT_EQ(ledger.arrived_count(), 5u);
  EXPECT_THAT(lost_at(ledger, kAllDue + seconds{10}), IsEmpty());
}

TEST(ProbeLedger, ArrivalsInAnyOrderCompleteTheRun) {
  ProbeLedger ledger(kPlan, kGrace);
  for (const std::uint64_t sequence : {4, 0, 2, 3, 1}) {
    EXPECT_TRUE(ledger.arrived(sequence, kAllDue));
  }
  EXPECT_TRUE(ledger.complete());
}

TEST(ProbeLedger, TheMissingAreLostWhenTheirGraceIsOverAndNotBefore) {
  ProbeLedger ledger(kPlan, kGrace);
  EXPECT_TRUE(ledger.arrived(1, kAllDue));
  EXPECT_THAT(lost_at(ledger, kPlan.due(0) + kGrace - Nanoseconds{1}), IsEmpty());
  EXPECT_THAT(lost_at(ledger, kPlan.due(0) + kGrace), ElementsAre(0));
  EXPECT_THAT(lost_at(ledger, kPlan.due(3) + kGrace), ElementsAre(2, 3));
  EXPECT_THAT(lost_at(ledger, kPlan.due(4) + kGrace), ElementsAre(4));
  EXPECT_TRUE(ledger.complete());
  EXPECT_EQ(ledger.arrived_count(), 1u);
  EXPECT_EQ(ledger.lost_count(), 4u);
}

TEST(ProbeLedger, ARunOfWhichNothingArrivesIsLostWhole) {
  ProbeLedger ledger(kPlan, kGrace);
  EXPECT_THAT(lost_at(ledger, kAllDue + kGrace + seconds{100}), ElementsAre(0, 1, 2, 3, 4));
}

TEST(ProbeLedger, DuplicatesAndLatecomersDoNotCount) {
  ProbeLedger ledger(kPlan, kGrace);
  EXPECT_TRUE(ledger.arrived(1, kAllDue));
  EXPECT_FALSE(ledger.arrived(1, kAllDue));
  EXPECT_THAT(lost_at(ledger, kPlan.due(0) + kGrace), ElementsAre(0));
  EXPECT_FALSE(ledger.arrived(0, kAllDue + kGrace));
  EXPECT_EQ(ledger.arrived_count(), 1u);
  EXPECT_EQ(ledger.lost_count(), 1u);
  EXPECT_EQ(ledger.ignored_count(), 2u);
}

TEST(ProbeLedger, AProbeThatIsNotDueYetDoesNotCount) {
  ProbeLedger ledger(kPlan, kGrace);
  EXPECT_FALSE(ledger.arrived(4, kPlan.due(4) - Nanoseconds{1}));
  EXPECT_TRUE(ledger.arrived(4, kPlan.due(4)));
  EXPECT_EQ(ledger.ignored_count(), 1u);
}

TEST(ProbeLedger, ASequenceBeyondThePlanIsAnError) {
  ProbeLedger ledger(kPlan, kGrace);
  try {
    ledger.arrived(5, kAllDue);
    FAIL() << "no exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "probe 5 of a run of 5");
  }
}

}  // namespace
}  // namespace hilgate::test
