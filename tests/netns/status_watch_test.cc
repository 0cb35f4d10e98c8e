// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <csignal>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using StatusWatchTest = GatewayTest;

TEST_F(StatusWatchTest, GoesOnUntilTheRunEnds) {
  RunningGateway gateway(GatewaySetup{});
  Process watch({hilgate_program(), "status", "--watch", gateway.run()});
  const std::string top = "\033[H";
  const auto screens = [&] {
    const std::string said = watch.output();
    return said.find(top, said.find(top) + 1) != std::string::npos;
  };
  for (const auto deadline = std::chrono::steady_clock::now() + 20s; !screens();) {
    ASSERT_LT(std::chrono::steady_clock::now(), deadline) << watch.output();
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_THAT(watch.output(), HasSubstr("run " + gateway.run()));
  gateway.process().stop(SIGTERM);
  EXPECT_EQ(watch.wait(20s), 1);
  EXPECT_THAT(watch.output(), HasSubstr("no gateway of this name is running"));
}

}  // namespace
}  // namespace hilgate::test
