// SPDX-License-Identifier: Apache-2.0
// Windows in which nothing can change: they pass unasked, are counted, and end with anything that is new.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "gateway/run/windows/window_engine.h"
#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

class UnchangedWindows : public testing::Test {
 protected:
  UnchangedWindows() {
    bench_.physics.answer_at_once = bench_.network.answer_at_once = true;
    bench_.network.same_until = SimTime::max();
  }
  [[nodiscard]] std::vector<std::uint64_t> asked() const {
    std::vector<std::uint64_t> windows;
    for (const Step& step : bench_.physics.steps) {
      windows.push_back(step.window);
    }
    return windows;
  }
  Bench bench_{{.window = 5ms,
                .pace = Pace::kWall,
                .lag_one_window = false,
                .links_at_once = true,
                .recovery = Recovery::kSkip,
                .pass_unchanged = true}};
};

TEST_F(UnchangedWindows, PassByDefaultUpTo20Ms) {
  bench_.physics.same_until = SimTime::max();
  bench_.engine.start();
  bench_.to(48ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 5, 9));
  EXPECT_EQ(bench_.engine.window(), 9U);
  bench_.to(57ms);
  EXPECT_EQ(bench_.engine.window(), 11U);
  EXPECT_EQ(bench_.engine.window_begin(), SimTime{55ms});
  bench_.to(65ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 5, 9, 13));
  EXPECT_EQ(bench_.sink.starts.back().unchanged, 3U);
  EXPECT_EQ(bench_.engine.physics_stats().windows, 14U);
  EXPECT_EQ(bench_.engine.network_stats().windows, 14U);
  EXPECT_EQ(bench_.engine.physics_stats().missed + bench_.engine.physics_stats().skipped, 0U);
  EXPECT_EQ(bench_.engine.boundaries().max(), 0ns);
}

TEST_F(UnchangedWindows, EndWhereSomethingMoves) {
  bench_.physics.same_until = SimTime{17ms};
  bench_.engine.start();
  bench_.to(31ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 3, 4, 5, 6));
}

TEST_F(UnchangedWindows, EndWithAnAttendedWindow) {
  bench_.physics.same_until = SimTime::max();
  bench_.engine.start();
  bench_.engine.attend_by(SimTime{32ms});
  bench_.to(31ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 5, 6));
}

TEST_F(UnchangedWindows, EndWithAnotherLengthAndWithANewTimeline) {
  bench_.physics.same_until = SimTime::max();
  bench_.engine.start();
  bench_.to(12ms);
  bench_.engine.change_window(4ms);
  bench_.to(15ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 3)) << "at the next boundary";
  bench_.to(20ms);
  bench_.engine.reschedule();
  bench_.to(23ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 3, 5));
  EXPECT_EQ(bench_.engine.window_begin(), SimTime{23ms});
}

// As every reload asks for.
TEST_F(UnchangedWindows, ContinueAfterAChangeToTheSameLength) {
  bench_.physics.same_until = SimTime::max();
  bench_.engine.start();
  bench_.to(12ms);
  bench_.engine.change_window(5ms);
  bench_.to(58ms);
  EXPECT_THAT(asked(), ElementsAre(0, 1, 3, 7, 11));
}

TEST_F(UnchangedWindows, AreNoExcuseForBeingLate) {
  bench_.physics.same_until = SimTime::max();
  bench_.engine.start();
  bench_.to(5ms);
  bench_.timer.advance_to(bench_.origin + 36ms, 11ms);  // window 5, due at 25 ms, begins at 36 ms: as window 7
  EXPECT_THAT(asked(), ElementsAre(0, 1, 7));
  EXPECT_EQ(bench_.engine.physics_stats().skipped, 2U);
}

TEST_F(UnchangedWindows, StopWhereTheRunDoes) {
  Bench bench({.window = 5ms,
               .pace = Pace::kWall,
               .lag_one_window = false,
               .recovery = Recovery::kSkip,
               .pass_unchanged = true,
               .windows = 3});
  bench.physics.answer_at_once = bench.network.answer_at_once = true;
  bench.physics.same_until = bench.network.same_until = SimTime::max();
  bench.engine.start();
  bench.to(60ms);
  EXPECT_EQ(bench.sink.reason, "");
  EXPECT_EQ(bench.engine.physics_stats().windows, 3U);
}

}  // namespace
}  // namespace hilgate::test
