// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/windows/window_options.h"

#include <gtest/gtest.h>

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

std::string complaint(const WindowOptions& options) {
  try {
    options.check();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "none";
}

TEST(WindowOptions, NamesTheWrongValue) {
  EXPECT_EQ(complaint({}), "none");
  EXPECT_EQ(complaint({.window = 0ns}), "window of 0ns; it must be longer than 0");
  EXPECT_EQ(complaint({.window = 1ms, .physics_step = 300us}),
            "a physics step of 300000ns does not divide the window of 1000000ns");
  EXPECT_EQ(complaint({.window = 1ms, .network_step = 2ms}),
            "a network step of 2000000ns does not divide the window of 1000000ns");
  EXPECT_EQ(complaint({.dilation = {0}}), "pace of 0 ppm of wall time; allowed: 1 to 1000000000");
  EXPECT_EQ(complaint({.packet_hold = 0ns}), "packet expiry of 0ns; it must be longer than 0");
}

TEST(WindowOptions, PublishesTheCausalityFloor) {
  EXPECT_EQ((WindowOptions{.window = 1ms}.causality_floor()), 2ms);
  EXPECT_EQ((WindowOptions{.window = 1ms, .pace = Pace::kLockstep}.causality_floor()), 0ns);
}

}  // namespace
}  // namespace hilgate::test
