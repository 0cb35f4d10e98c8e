// SPDX-License-Identifier: Apache-2.0
// CoDel against RFC 8289: a queue whose head has waited for a given time, looked at every 100 us.
#include "path/hold/codel.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr HostTime kBegin{1s};
constexpr Nanoseconds kStep = 100us;
constexpr std::uint64_t kLongQueue = 100'000;

QueueRules codel(bool ecn = false) {
  return {.discipline = QueueDiscipline::kCodel, .target = 5ms, .interval = 100ms, .ecn = ecn};
}

struct Judged {
  std::vector<HostTime> drops;
  std::vector<HostTime> marks;
};

// Heads from `begin` to `end` that all have waited so long.
Judged judge(CoDel& codel, HostTime begin, HostTime end, Nanoseconds waited, bool capable = false) {
  Judged judged;
  for (HostTime now = begin; now < end; now += kStep) {
    QueueVerdict verdict = QueueVerdict::kDrop;
    while (verdict == QueueVerdict::kDrop) {
      verdict = codel.judge({.now = now, .waited = waited, .bytes = 1514, .left = kLongQueue, .capable = capable});
      if (verdict == QueueVerdict::kDrop) {
        judged.drops.push_back(now);
      } else if (verdict == QueueVerdict::kMark) {
        judged.marks.push_back(now);
      }
    }
  }
  return judged;
}

// The n-th of a series that begins at `first`: each an interval / sqrt(n) after the one before.
void expect_series(const std::vector<HostTime>& times, HostTime first) {
  double due = static_cast<double>(first.time_since_epoch().count());
  for (std::size_t n = 0; n < times.size(); ++n) {
    const double at = static_cast<double>(times[n].time_since_epoch().count());
    EXPECT_GE(at, due - 1) << n;
    EXPECT_LE(at, due + static_cast<double>(kStep.count()) + 10) << n;
    due += 100e6 / std::sqrt(static_cast<double>(n + 1));
  }
}

TEST(CoDel, DropsFirstAfterAnIntervalAboveTheTargetAndThenByItsControlLaw) {
  CoDel queue(codel());
  const auto drops = judge(queue, kBegin, kBegin + 2s, 20ms).drops;
  ASSERT_GT(drops.size(), 90U);  // 1.9 s: sum of 100 ms / sqrt(n) to n = 100 is 1.86 s
  EXPECT_LT(drops.size(), 110U);
  EXPECT_EQ(drops.front(), kBegin + 100ms);
  expect_series(drops, kBegin + 100ms);
}

TEST(CoDel, TheTargetItselfIsAboveAndLessIsNot) {
  CoDel at(codel());
  EXPECT_FALSE(judge(at, kBegin, kBegin + 300ms, 5ms).drops.empty());
  CoDel below(codel());
  EXPECT_TRUE(judge(below, kBegin, kBegin + 10s, 5ms - 1ns).drops.empty());
}

TEST(CoDel, OneFrameBelowTheTargetBeginsTheIntervalAnew) {
  CoDel queue(codel());
  EXPECT_TRUE(judge(queue, kBegin, kBegin + 99ms, 20ms).drops.empty());
  judge(queue, kBegin + 99ms, kBegin + 99ms + kStep, 1ms);
  const auto drops = judge(queue, kBegin + 100ms, kBegin + 300ms, 20ms).drops;
  ASSERT_FALSE(drops.empty());
  EXPECT_EQ(drops.front(), kBegin + 200ms);
}

TEST(CoDel, NeverDropsTheLastFrameOfAQueue) {
  CoDel queue(codel());
  for (HostTime now = kBegin; now < kBegin + 5s; now += kStep) {
    EXPECT_EQ(queue.judge({.now = now, .waited = 1s, .bytes = 1514, .left = 1514}), QueueVerdict::kPass);
  }
}

TEST(CoDel, ASeriesSoonAfterAnotherBeginsAtItsRate) {
  CoDel queue(codel());
  judge(queue, kBegin, kBegin + 1s, 20ms);
  const std::uint32_t count = queue.count();
  ASSERT_GT(count, 20U);
  judge(queue, kBegin + 1s, kBegin + 1s + kStep, 1ms);
  EXPECT_FALSE(queue.dropping());
  judge(queue, kBegin + 1100ms, kBegin + 1200ms + kStep, 20ms);
  EXPECT_TRUE(queue.dropping());
  EXPECT_EQ(queue.count(), count - 1) << "less what the first series began with";

  CoDel later(codel());
  judge(later, kBegin, kBegin + 1s, 20ms);
  judge(later, kBegin + 1s, kBegin + 1s + kStep, 1ms);
  judge(later, kBegin + 10s, kBegin + 10100ms + kStep, 20ms);
  EXPECT_EQ(later.count(), 1U) << "16 intervals later";
}

TEST(CoDel, MarksCapableFramesByTheSameLaw) {
  CoDel queue(codel(true));
  const Judged judged = judge(queue, kBegin, kBegin + 2s, 20ms, true);
  EXPECT_TRUE(judged.drops.empty());
  ASSERT_GT(judged.marks.size(), 90U);
  expect_series(judged.marks, kBegin + 100ms);

  CoDel incapable(codel(true));
  EXPECT_TRUE(judge(incapable, kBegin, kBegin + 2s, 20ms, false).marks.empty());
  CoDel without(codel(false));
  EXPECT_TRUE(judge(without, kBegin, kBegin + 2s, 20ms, true).marks.empty());
}

}  // namespace
}  // namespace hilgate::test
