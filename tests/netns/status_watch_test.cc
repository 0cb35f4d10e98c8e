// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using StatusWatchTest = GatewayTest;

TEST_F(StatusWatchTest, ContinuesUntilTheRunEnds) {
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

TEST_F(StatusWatchTest, ARobotsLinksAlone) {
  const RunningGateway gateway(GatewaySetup{.robots = {"red", "blue", "green"}});
  const auto status = [&](const std::string& options) {
    return gateway.lab().gateway().run(hilgate_program() + " status " + gateway.run() + " " + options + " 2>&1").output;
  };
  const auto json = nlohmann::ordered_json::parse(status("--json --robot red"));
  EXPECT_EQ(json["links"].size(), 4U);
  for (const auto& link : json["links"]) {
    EXPECT_TRUE(link["from"] == "red" || link["to"] == "red") << link;
  }
  EXPECT_EQ(json["robots"].size(), 1U);
  EXPECT_EQ(json["ports"].size(), 1U);
  EXPECT_THAT(status("--robot red"), AllOf(HasSubstr("red -> green"), Not(HasSubstr("blue -> green"))));
  EXPECT_EQ(nlohmann::ordered_json::parse(status("--json --robot red --robot blue"))["links"].size(), 6U);
  EXPECT_THAT(status("--robot violet"), HasSubstr("'violet'; there are: blue, green, red"));
}

// Of a run whose results are good: what makes them doubtful is said in full sentences.
TEST_F(StatusWatchTest, HasLinesThatFitATerminal) {
  const RunningGateway gateway(
      {.yaml =
           "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: "
           "[30m, 0m, 2m]}]}}\nnetsim: {type: embedded}\n"});
  std::istringstream text(run_ok({hilgate_program(), "status", gateway.run()}));
  for (std::string line; std::getline(text, line);) {
    EXPECT_TRUE(line.size() <= 80 || line.starts_with("! ")) << line.size() << " columns: " << line;
  }
}

TEST_F(StatusWatchTest, HasConfiguredEffectiveAndMeasuredValues) {
  const RunningGateway gateway(
      {.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 25ms, rate: 6 Mbit/s, loss: 10 %}]\n"});
  gateway.mute();
  Generator generator(gateway.robot(0), "eth0", {.to = robot_mac(1), .from = robot_mac(0)});
  nlohmann::ordered_json link;
  for (unsigned i = 0; i < 600 && !link.contains("measured_delay_us"); ++i) {
    generator.burst();
    std::this_thread::sleep_for(20ms);
    link = nlohmann::ordered_json::parse(run_ok({hilgate_program(), "status", "--json", gateway.run()}))["links"][0];
  }
  EXPECT_EQ(link["configured_delay_us"], 25'000);
  EXPECT_EQ(link["configured_rate_mbps"], 6);
  EXPECT_EQ(link["configured_loss"], 0.1);
  EXPECT_EQ(link["effective_delay_us"], 25'000);
  EXPECT_EQ(link["effective_rate_mbps"], 6);
  EXPECT_DOUBLE_EQ(link["effective_loss"].get<double>(), 0.1);
  EXPECT_GE(link["measured_delay_us"], 25'000);
  EXPECT_GT(link["measured_loss"], 0);
  EXPECT_LT(link["measured_loss"], 0.5);
  EXPECT_THAT(
      run_ok({hilgate_program(), "status", gateway.run()}),
      AllOf(testing::ContainsRegex("red -> blue +25 ms \\| +2[5-9]"), HasSubstr("25 ms, 6 Mbit/s, loss 10.0%")));
}

// 0 dBm would be a very strong signal.
TEST_F(StatusWatchTest, ACableHasNoSignal) {
  const RunningGateway gateway(GatewaySetup{.yaml = "netsim: {type: wire}\n"});
  EXPECT_THAT(run_ok({hilgate_program(), "status", gateway.run()}),
              testing::ContainsRegex("red -> blue +los +- +- +- +0.0%"));
}

}  // namespace
}  // namespace hilgate::test
