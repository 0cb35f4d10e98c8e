// SPDX-License-Identifier: Apache-2.0
// How a run ends while simulators compute: nobody answers into a closed connection, and nobody is waited for for ever.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/gateway/run/windows/window_fakes.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

class WindowStop : public testing::Test {
 protected:
  void SetUp() override {
    bench_.engine.start();
    bench_.physics.computing = bench_.network.computing = true;
  }
  [[nodiscard]] bool over() const { return bench_.physics.closed && bench_.network.closed; }

  Bench bench_{{.window = 10ms}};
};

TEST_F(WindowStop, WaitsForTheAnswersUnderWay) {
  bench_.engine.stop("asked to");
  EXPECT_FALSE(bench_.engine.running());
  EXPECT_FALSE(bench_.physics.closed || bench_.network.closed);
  bench_.physics.computing = false;
  bench_.physics.end();
  EXPECT_FALSE(bench_.physics.closed || bench_.network.closed) << "the other still computes";
  bench_.network.computing = false;
  bench_.network.end();
  EXPECT_TRUE(over());
  EXPECT_EQ(bench_.sink.reason, "asked to");
  EXPECT_EQ(std::ranges::count(bench_.journal, "ended"), 1);
}

TEST_F(WindowStop, BeginsNoStepAndNoWindowWhileItWaits) {
  bench_.engine.stop("");
  bench_.network.computing = false;
  bench_.network.end();
  bench_.to(1s);
  EXPECT_THAT(bench_.journal, testing::ElementsAre("w0", "p0.0", "n0.0"));
}

TEST_F(WindowStop, WaitsTwoSecondsAndNoLonger) {
  bench_.engine.stop("");
  bench_.to(2s - 1ns);
  EXPECT_FALSE(over());
  bench_.to(2s);
  EXPECT_TRUE(over());
  EXPECT_EQ(bench_.sink.reason, "");
}

TEST_F(WindowStop, AFailureOfOneWaitsForTheOther) {
  bench_.physics.computing = false;
  bench_.physics.fail("the peer closed the connection");
  EXPECT_FALSE(over());
  bench_.network.computing = false;
  bench_.network.fail("the peer closed the connection");
  EXPECT_TRUE(over());
  EXPECT_EQ(bench_.sink.reason, "physics cannot continue: the peer closed the connection") << "the first reason";
}

TEST_F(WindowStop, EndsAtOnceWithoutComputation) {
  bench_.physics.computing = bench_.network.computing = false;
  bench_.engine.stop("");
  EXPECT_TRUE(over());
}

}  // namespace
}  // namespace hilgate::test
