// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using StatusWatchTest = GatewayTest;

std::string status_text(const RunningGateway& gateway, const std::string& options = {}) {
  return gateway.lab().gateway().run(hilgate_program() + " status " + gateway.run() + " " + options + " 2>&1").output;
}

TEST_F(StatusWatchTest, HasWhatIsAskedForUntilTheRunEnds) {
  RunningGateway gateway(
      {.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 25ms, rate: 6 Mbit/s, loss: 10 %}]\n",
       .robots = {"red", "blue", "green"}});
  // 0 dBm would be a very strong signal of a cable, which has none.
  EXPECT_THAT(status_text(gateway), testing::ContainsRegex("red -> green +los +- +- +- +0.0%"));
  // A robot's links alone.
  const auto json = nlohmann::ordered_json::parse(status_text(gateway, "--json --robot red"));
  EXPECT_EQ(json["links"].size(), 4U);
  for (const auto& link : json["links"]) {
    EXPECT_TRUE(link["from"] == "red" || link["to"] == "red") << link;
  }
  EXPECT_EQ(json["robots"].size(), 1U);
  EXPECT_EQ(json["ports"].size(), 1U);
  EXPECT_THAT(status_text(gateway, "--robot red"), AllOf(HasSubstr("red -> green"), Not(HasSubstr("blue -> green"))));
  EXPECT_EQ(nlohmann::ordered_json::parse(status_text(gateway, "--json --robot red --robot blue"))["links"].size(), 6U);
  EXPECT_THAT(status_text(gateway, "--robot violet"), HasSubstr("'violet'; there are: blue, green, red"));
  // Again and again.
  Process watch({hilgate_program(), "status", "--watch", gateway.run()});
  EXPECT_TRUE(eventually([&] {
    const std::string said = watch.output();
    const std::string top = "\033[H";
    return said.find(top, said.find(top) + 1) != std::string::npos;
  })) << watch.output();
  EXPECT_THAT(watch.output(), HasSubstr("run " + gateway.run()));
  gateway.process().stop(SIGTERM);
  EXPECT_EQ(watch.wait(20s), 1);
  EXPECT_THAT(watch.output(), HasSubstr("no gateway of this name is running"));
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
  EXPECT_TRUE(eventually([&] {
    for (int i = 0; i < 10; ++i) {  // less than the link's rate
      generator.one();
    }
    link = status_of(gateway.run())["links"][0];
    return link.contains("measured_delay_us");
  }));
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

}  // namespace
}  // namespace hilgate::test
