// SPDX-License-Identifier: Apache-2.0
// A flood over a link that keeps frames for long.
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/fault/robots/robot_fault.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

void delay_of_mallory(const RunningGateway& gateway, const std::string& delay) {
  control_request(control_socket(gateway.run()),
                  {{"command", "set"}, {"values", {fmt::format("links.mallory.green.delay={}", delay)}}});
}

TEST_F(RobotFault, FloodOverALongDelay) {
  delay_of_mallory(gateway(), "2s");
  const std::size_t sent = flood({to_green(0x9999, counting(200))}, 600ms);
  const auto full = [this] { return dropped("hold_full") + dropped("memory_share"); };
  gateway().status_when([&](const GatewayStatus&) { return full() > 0; }, 2s);
  const std::uint64_t refused = full();
  EXPECT_GT(refused, 0U) << "the hold was never full";
  delay_of_mallory(gateway(), "0s");
  conclude({"A robot floods a link with a delay of 2 s",
            "It fills its share of the hold; the rest is dropped in totals, and other pairs lose nothing",
            fmt::format("{} sent, {} dropped as hold_full or memory_share", sent, refused)});
}

}  // namespace
}  // namespace hilgate::test
