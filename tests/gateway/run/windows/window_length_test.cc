// SPDX-License-Identifier: Apache-2.0
// Windows that get another length while simulators owe answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class WindowLength : public testing::Test {
 protected:
  explicit WindowLength(Recovery recovery = Recovery::kSkip)
      : bench_({.window = 10ms, .pace = Pace::kWall, .recovery = recovery}) {
    bench_.network.answer_at_once = true;
    bench_.engine.start();
    bench_.to(5ms);
    bench_.engine.change_window(20ms);
  }
  [[nodiscard]] const SimulatorStats& physics() const { return bench_.engine.physics_stats(); }
  Bench bench_;
};

struct WindowLengthCatchingUp : WindowLength {
  WindowLengthCatchingUp() : WindowLength(Recovery::kCatchUp) {}
};

// Window 0 is under way as window 1 begins, with which the length changes.
TEST_F(WindowLength, ChangingWindowIsRequestedAlthoughTheEarlierOneIsLate) {
  bench_.to(12ms);
  bench_.physics.end();
  ASSERT_EQ(bench_.physics.steps.size(), 2U);
  EXPECT_EQ(bench_.physics.steps[1].window, 1U);
  EXPECT_EQ(bench_.physics.steps[1].from, SimTime{10ms});
  EXPECT_EQ(bench_.physics.steps[1].length, 20ms);
  EXPECT_EQ(physics().late.count(), 1U);
  EXPECT_EQ(physics().late.max(), 2ms) << "behind the boundary at 10 ms";
  EXPECT_EQ(physics().skipped, 0U);
  bench_.physics.end();
  EXPECT_EQ(physics().windows, 2U);
  EXPECT_EQ(physics().late.count(), 1U) << "window 1 ends at 30 ms";
}

TEST_F(WindowLengthCatchingUp, WindowsOfTheLengthBeforeAreSkippedAndCounted) {
  bench_.engine.change_window(10ms);
  bench_.to(25ms);
  bench_.engine.change_window(20ms);
  bench_.to(32ms);
  ASSERT_EQ(bench_.engine.window(), 3U);
  bench_.physics.end();
  EXPECT_EQ(physics().late.max(), 22ms) << "window 0, behind the boundary at 10 ms";
  EXPECT_EQ(bench_.physics.steps.back().window, 3U);
  EXPECT_EQ(bench_.physics.steps.back().from, SimTime{30ms});
  EXPECT_EQ(physics().skipped, 2U) << "windows 1 and 2";
}

TEST_F(WindowLength, OnTimeEngineSkipsNoWindow) {
  bench_.physics.answer_at_once = true;
  bench_.physics.end();
  bench_.to(55ms);
  ASSERT_EQ(bench_.physics.steps.size(), 4U);
  for (std::size_t n = 0; n < 4; ++n) {
    EXPECT_EQ(bench_.physics.steps[n].window, n);
  }
  EXPECT_EQ(bench_.physics.steps[3].from, SimTime{50ms});
  EXPECT_EQ(physics().skipped + physics().late.count(), 0U);
}

}  // namespace
}  // namespace hilgate::test
