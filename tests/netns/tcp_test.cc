// SPDX-License-Identifier: Apache-2.0
// TCP through the real gateway, and what the embedded radio leaves of it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;

using TcpTest = GatewayTest;
using RadioTest = GatewayTest;

double tcp_megabits(const RunningGateway& gateway, const std::string& options) {
  const auto server = gateway.robot(1).start({"iperf3", "-s", "-1", "--forceflush"});
  if (!server->wait_for_output("Server listening", 10s)) {
    throw std::runtime_error("iperf3 -s: " + server->output());
  }
  const Finished client = gateway.robot(0).run("iperf3 --json -c " + NetLab::ipv4(1) + " " + options);
  EXPECT_EQ(client.status, 0) << client.output;
  return nlohmann::json::parse(client.output).at("end").at("sum_received").at("bits_per_second").get<double>() / 1e6;
}

TEST_F(TcpTest, CompletesOverADelayingLink) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks: [{from: \"*\", to: \"*\", delay: 5ms}]\n"});
  EXPECT_GT(tcp_megabits(gateway, "-n 4M"), 1);
}

TEST_F(TcpTest, CompletesOverALossyLink) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, loss: 1 %}]\n"});
  EXPECT_GT(tcp_megabits(gateway, "-n 2M"), 0);
}

std::string apart(const std::string& distance) {
  return fmt::format(
      "physics:\n  type: trajectory\n  tracks:\n    red: [{{at: 0s, position: [0m, 0m, 10m]}}]\n"
      "    blue: [{{at: 0s, position: [{}, 0m, 10m]}}]\nnetsim: {{type: embedded}}\n",
      distance);
}

TEST_F(RadioTest, CarriesTcpAtTwentyMetres) {
  const RunningGateway gateway({.yaml = apart("20m")});
  EXPECT_GT(tcp_megabits(gateway, "-t 3"), 10);
}

TEST_F(RadioTest, CarriesNothingAtFiveKilometres) {
  const RunningGateway gateway({.yaml = apart("5000m")});
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(traffic.to_one({.frames = 100, .frame_bytes = 1000, .interval = 1ms}), IsEmpty());
  const GatewayStatus end = gateway.settled(100);
  EXPECT_EQ(end.totals("out"), 0U);
  EXPECT_EQ(end.dropped("unreachable") + end.dropped("lost_on_air") + end.dropped("retries_spent"), 100U)
      << testing::PrintToString(static_cast<const std::map<std::string, std::uint64_t>&>(end.dropped));
}

}  // namespace
}  // namespace hilgate::test
