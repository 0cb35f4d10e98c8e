// SPDX-License-Identifier: Apache-2.0
// Every delivery is accounted for, at whatever instant somebody asks.
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

using ConservationTest = GatewayTest;

void expect_balanced(const GatewayStatus& now) {
  EXPECT_TRUE(now.balanced);
  EXPECT_EQ(now.totals("in"), now.totals("out") + now.totals("dropped_total") + now.totals("held"));
  std::uint64_t by_reason = 0;
  for (const auto& [reason, count] : now.dropped) {
    by_reason += count;
  }
  EXPECT_EQ(by_reason, now.totals("dropped_total"));
}

// Unicast and broadcast frames, faster than the gateway can take them, both ways.
void load(const RunningGateway& gateway, const std::stop_token& stop) {
  Generator to_blue(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  Generator to_all(gateway.robot(1), "eth0", {.to = kBroadcast, .from = robot_mac(1), .frame_bytes = 600});
  while (!stop.stop_requested()) {
    to_blue.burst();
    to_all.burst();
    std::this_thread::sleep_for(1ms);
  }
}

TEST_F(ConservationTest, HoldsInEveryStatusUnderLoad) {
  const RunningGateway gateway({.yaml = "memory: {frames: 8192}\n"
                                        "hold: {frames: 64}\n"  // too small for one burst, on purpose
                                        "netsim: {type: wire}\n"
                                        "links:\n"
                                        "  - {from: red, to: blue, delay: 20ms, loss: 10 %}\n"
                                        "  - {from: blue, to: red, delay: 3ms, ber: 1e-5, policy: corrupt_raw}\n"
                                        "  - {from: blue, to: green, delay: 10ms, ber: 1e-5}\n",
                                .robots = {"red", "blue", "green"}});
  {
    const std::jthread sending([&gateway](const std::stop_token& stop) { load(gateway, stop); });
    const auto start = std::chrono::steady_clock::now();
    for (unsigned n = 0; n < 100; ++n) {
      expect_balanced(gateway.status());
      std::this_thread::sleep_until(start + n * 20ms);  // 50 Hz
    }
  }
  const GatewayStatus end = gateway.status_when([](const GatewayStatus& now) { return now.totals("held") == 0; });
  expect_balanced(end);
  EXPECT_EQ(end.totals("held"), 0U);
  EXPECT_GT(end.totals("out"), 0U);
  EXPECT_GT(end.totals("damaged"), 0U);
  EXPECT_GT(end.dropped("configured_loss"), 0U);
  EXPECT_GT(end.dropped("lost_on_air"), 0U);
  EXPECT_GT(end.dropped("hold_full"), 0U);
}

}  // namespace
}  // namespace hilgate::test
