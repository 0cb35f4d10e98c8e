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

}  // namespace
}  // namespace hilgate::test
