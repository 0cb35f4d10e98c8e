// SPDX-License-Identifier: Apache-2.0
// Measured links on the real gateway: what passes is no more and no earlier than the files say.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
class TraceTest : public GatewayTest {
 protected:
  TraceTest() { std::filesystem::create_directories(folder_); }
  ~TraceTest() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / fmt::format("hilgate-traces-{}", ::getpid());
};

TEST_F(TraceTest, TcpReachesTheRateOfTheDeliveryOpportunities) {
  // An opportunity a millisecond: 12.032 Mbit/s of IP packets and 4 bytes each.
  std::string text;
  for (int ms = 1; ms <= 100; ++ms) {
    text += std::to_string(ms) + "\n";
  }
  const std::string file = write("up.mahimahi", text);
  const RunningGateway gateway(
      {.yaml = fmt::format("netsim: {{type: trace, traces: [{{robot: red, up: {0}, down: {0}}}]}}\n", file)});
  const auto server = gateway.robot(1).start({"iperf3", "-s", "-1", "--forceflush"});
  ASSERT_TRUE(server->wait_for_output("Server listening", 10s)) << server->output();
  const Finished client = gateway.robot(0).run("iperf3 --json -t 3 -c " + NetLab::ipv4(1));
  ASSERT_EQ(client.status, 0) << client.output;
  const auto end = nlohmann::json::parse(client.output).at("end").at("sum_received");
  const double megabits = end.at("bits_per_second").get<double>() / 1e6;
  EXPECT_GT(megabits, 3);
  EXPECT_LT(megabits, 12.032) << "a queue that had filled before would be delivered within the same time";
}

TEST_F(TraceTest, EveryStepHasItsDelayAndItsLoss) {
  // Half of a period of 200 ms nothing arrives, and what arrives takes 20 ms.
  const std::string file = write("steps.csv", "100000,20000000,-1,0,0\n100000,20000000,-1,4294967295,0\n");
  const RunningGateway gateway(
      {.yaml = fmt::format("netsim: {{type: trace, traces: [{{from: red, to: blue, file: {}}}]}}\n", file)});
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = 1000, .interval = 1ms});
  EXPECT_GE(delay_quantile(arrivals, 0), 20ms);
  EXPECT_GT(arrivals.size(), 250U);
  EXPECT_LT(arrivals.size(), 750U);
  const GatewayStatus status = gateway.settled(1000);
  EXPECT_EQ(status.dropped("configured_loss"), 1000 - arrivals.size());
  EXPECT_TRUE(status.balanced);
}

TEST_F(TraceTest, AnSinrDrivesTheRadiosOfALinkAndIsInTheStatus) {
  // At 11 dB MCS 16, of which lte_cat4 sends 30576 bits a millisecond. The delay beside the SINR is added.
  const std::string file = write("modem.csv", "Date Time,SINR,delay_ms\n2025/Mar/18 11:30:29,11,20\n");
  const RunningGateway gateway(
      {.yaml = fmt::format("netsim: {{type: embedded, traces: [{{from: red, to: blue, file: {0}}}]}}\n"
                           "physics: {{type: trajectory, tracks: {{red: [{{at: 0s, position: [0m, 0m, 2m]}}], "
                           "blue: [{{at: 0s, position: [30m, 0m, 2m]}}]}}}}\n",
                           file),
       .wiring = ports_and_robots({"red", "blue"}, ", radio: lte_cat4")});
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = 200, .interval = 1ms});
  EXPECT_EQ(arrivals.size(), 200U);
  EXPECT_GE(delay_quantile(arrivals, 0), 20ms + 11'800us) << "the latency of the profile's uplink comes on top";
  for (const auto& link : status_of(gateway.run()).at("links")) {
    const bool is_measured = link.at("from") == "red";
    EXPECT_EQ(link.at("snr_db") == 11.0, is_measured);
    if (is_measured) {
      EXPECT_EQ(link.at("rate_mbps"), 30.576);
    }
  }
}

TEST_F(TraceTest, BothDirectionsStartTogether) {
  // Half a second of silence and half a second of wire, in opposite order: what one lets pass, the other does not
  // answer.
  const std::string up = write("up.csv", "500000,0,-1,0,0\n500000,0,-1,4294967295,0\n");
  const std::string down = write("down.csv", "500000,0,-1,4294967295,0\n500000,0,-1,0,0\n");
  const RunningGateway gateway(
      {.yaml = fmt::format("netsim: {{type: trace, traces: [{{robot: red, up: {}, down: {}}}]}}\n", up, down)});
  for (std::size_t n = 0; n < 2; ++n) {  // ARP asks each second, so always in the same half of one
    gateway.robot(n).run_ok(
        fmt::format("ip neigh replace {} lladdr {} dev eth0 nud permanent", NetLab::ipv4(1 - n), NetLab::mac(1 - n)));
  }
  const Finished ping = gateway.robot(0).run("ping -q -i 0.05 -c 60 -W 1 " + NetLab::ipv4(1));
  EXPECT_THAT(ping.output, testing::HasSubstr("60 packets transmitted"));
  const GatewayStatus status = gateway.status();
  EXPECT_GT(status.link("red", "blue").dropped("configured_loss"), 10U);
  EXPECT_GT(status.link("blue", "red").dropped("configured_loss"), 10U);
}

TEST_F(TraceTest, SetLeavesTheTraceAlone) {
  const std::string file = write("slow.csv", "1000,0,1000000,0,1000\n");
  const RunningGateway gateway(
      {.yaml = fmt::format("netsim: {{type: trace, traces: [{{from: red, to: blue, file: {}}}]}}\n", file)});
  const Finished set = run({hilgate_program(), "set", "--run", gateway.run(), "links.red.blue.loss=0.001 %"});
  EXPECT_EQ(set.status, 0) << set.output;
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = 20, .frame_bytes = 1250});
  ASSERT_EQ(arrivals.size(), 20U);
  const Arrival& last = arrivals.back();
  EXPECT_GE(std::chrono::nanoseconds{last.sent_ns + last.delay_ns - arrivals.front().sent_ns}, 200ms)
      << "20 frames of 10 ms each";
}

}  // namespace
}  // namespace hilgate::test
