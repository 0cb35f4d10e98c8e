// SPDX-License-Identifier: Apache-2.0
// A robot that walks from one access point to another, under real traffic.
#include <algorithm>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

using AccessPointTest = GatewayTest;

// Blue is an access point itself, at the other end of red's way; the cable takes its time.
constexpr const char* kField =
    "seed: 1\n"
    "physics:\n"
    "  type: trajectory\n"
    "  tracks:\n"
    "    red: [{at: 4s, position: [5m, 0m, 1m]}, {at: 6s, position: [115m, 0m, 1m]}]\n"
    "    blue: [{at: 0s, position: [120m, 0m, 3m]}]\n"
    "netsim:\n"
    "  type: embedded\n"
    "  access_points:\n"
    "    west: {position: [0m, 0m, 3m], radio: wifi_11n_2g4_adhoc, channel: 1}\n"
    "    east: {robot: blue, channel: 6}\n"
    "  distribution: {delay: 1ms}\n"
    "  roaming: {hysteresis: 6 dB, break: 200ms, beacon: 20ms}\n";

std::size_t times(const std::string& text, const std::string& word) {
  std::size_t count = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    ++count;
  }
  return count;
}

TEST_F(AccessPointTest, AWalkingRobotIsHandedOver) {
  const RunningGateway gateway({.yaml = kField});
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = 1600, .interval = 5ms});
  const GatewayStatus end = gateway.status();
  EXPECT_TRUE(end.balanced);
  EXPECT_EQ(end.totals("held"), 0U);
  EXPECT_EQ(arrivals.size(), end.totals("out"));
  EXPECT_GT(arrivals.size(), 1500U);
  EXPECT_TRUE(std::is_sorted(arrivals.begin(), arrivals.end(),
                             [](const Arrival& a, const Arrival& b) { return a.sequence < b.sequence; }));
  EXPECT_EQ(times(gateway.output(), "station red is associated with access point west\n"), 1U) << gateway.output();
  EXPECT_EQ(times(gateway.output(),
                  "station red is associated with access point east after west, 200.0 ms without association"),
            1U)
      << gateway.output();
  // Each channel is a medium of its own: red is on that of its access point, beside it.
  const auto media = control_request(control_socket(gateway.run()), {{"command", "status"}})["media"];
  ASSERT_EQ(media.size(), 2U) << media;
  EXPECT_NE(media[0]["domain"], media[1]["domain"]) << media;
  EXPECT_EQ(media[0]["stations"], 1) << media;
  EXPECT_EQ(media[1]["stations"], 2) << media;
  // Frames that red sent during the break waited for its end.
  EXPECT_GE(delay_quantile(arrivals, 1.0), 100ms);
}

}  // namespace
}  // namespace hilgate::test
