// SPDX-License-Identifier: Apache-2.0
// TCP through the real gateway, and what the embedded radio leaves of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

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

TEST_F(TcpTest, CompletesOverADelayingAndLossyLink) {
  const RunningGateway gateway(
      {.yaml =
           "netsim: {type: wire}\nlinks: [{from: \"*\", to: \"*\", delay: 5ms}, {from: red, to: blue, loss: 1 %}]\n"});
  EXPECT_GT(tcp_megabits(gateway, "-n 2M"), 0);
}

// A bottleneck of 10 Mbit/s with a queue that a TCP flow fills: 800 kB are 0.64 s.
struct Bottleneck {
  const char* discipline;
  const char* congestion_control;
  bool ecn;
};
class ManagedQueueTest : public GatewayTest, public testing::WithParamInterface<Bottleneck> {};

struct OfTcp {
  double mbps = 0, rtt_ms = 0;  // received; mean of the sender
  int retransmitted = 0;        // segments
};

OfTcp tcp_through(const RunningGateway& gateway, const Bottleneck& bottleneck) {
  for (const std::size_t robot : {0, 1}) {
    gateway.robot(robot).run_ok(fmt::format("sysctl -qw net.ipv4.tcp_ecn={}", bottleneck.ecn ? 1 : 0));
  }
  const auto server = gateway.robot(1).start({"iperf3", "-s", "-1", "--forceflush"});
  if (!server->wait_for_output("Server listening", 10s)) {
    throw std::runtime_error("iperf3 -s: " + server->output());
  }
  const Finished client = gateway.robot(0).run(
      fmt::format("iperf3 --json -t 6 -C {} -c {}", bottleneck.congestion_control, NetLab::ipv4(1)));
  EXPECT_EQ(client.status, 0) << client.output;
  const auto end = nlohmann::json::parse(client.output).at("end");
  const auto& sender = end.at("streams")[0].at("sender");
  return {.mbps = end.at("sum_received").at("bits_per_second").get<double>() / 1e6,
          .rtt_ms = sender.at("mean_rtt").get<double>() / 1e3,
          .retransmitted = sender.at("retransmits").get<int>()};
}

RunningGateway bottleneck_of(const std::string& queue) {
  return RunningGateway(
      {.yaml = fmt::format("netsim: {{type: wire}}\nlinks:\n  - {{from: '*', to: '*', delay: 10ms}}\n  - {{from: red, "
                           "to: blue, rate: {{limit: 10 Mbit/s, queue: {{bytes: 800 kB, {}}}}}}}\n",
                           queue)});
}

TEST_P(ManagedQueueTest, KeepsTheDelayOfTcpShortAndTheWireBusy) {
  const Bottleneck& bottleneck = GetParam();
  const RunningGateway gateway =
      bottleneck_of(fmt::format("discipline: {}, ecn: {}", bottleneck.discipline, bottleneck.ecn));
  const OfTcp tcp = tcp_through(gateway, bottleneck);
  EXPECT_GT(tcp.mbps, 8);
  EXPECT_LT(tcp.rtt_ms, 75) << "a full queue alone is 640 ms";
  const GatewayStatus status = gateway.status();
  if (bottleneck.ecn) {
    EXPECT_EQ(tcp.retransmitted, 0) << "marked segments are delivered";
    EXPECT_GT(status.link("red", "blue").counts("ecn_marked"), 0U);
  } else if (bottleneck.congestion_control == std::string("cubic")) {
    EXPECT_GT(status.link("red", "blue").dropped("aqm"), 0U) << "cubic fills a queue until it loses; BBR need not";
  }
}

INSTANTIATE_TEST_SUITE_P(Disciplines, ManagedQueueTest,
                         testing::Values(Bottleneck{"codel", "cubic", false}, Bottleneck{"fq_codel", "cubic", true},
                                         Bottleneck{"fq_codel", "bbr", false}, Bottleneck{"pie", "cubic", true}),
                         [](const auto& info) {
                           return fmt::format("{}_{}{}", info.param.discipline, info.param.congestion_control,
                                              info.param.ecn ? "_ecn" : "");
                         });

TEST_F(TcpTest, FillsAQueueWithoutManagement) {
  const RunningGateway gateway = bottleneck_of("discipline: fifo");
  const OfTcp tcp = tcp_through(gateway, {.discipline = "fifo", .congestion_control = "cubic", .ecn = false});
  EXPECT_GT(tcp.rtt_ms, 200);
}

TEST_F(RadioTest, CarriesTcpAtTwentyMetres) {
  const RunningGateway gateway(
      {.yaml = "physics:\n  type: trajectory\n  tracks:\n    red: [{at: 0s, position: [0m, 0m, 10m]}]\n"
               "    blue: [{at: 0s, position: [20m, 0m, 10m]}]\nnetsim: {type: embedded}\n"});
  EXPECT_GT(tcp_megabits(gateway, "-t 3"), 10);
}

}  // namespace
}  // namespace hilgate::test
