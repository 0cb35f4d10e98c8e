// SPDX-License-Identifier: Apache-2.0
// Scenarios on the real gateway: what they change, and how they judge it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/netns/simulator_rig.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

constexpr auto kScenarioPace = 1ms;

/// Red sends to blue all the time, from before the gateway is there.
class ScenarioNetns : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    lab_.emplace("scn", std::vector<std::string>{"red", "blue"});
    lab_->silence();
    sender_ = std::jthread([this](const std::stop_token& stop) {
      const RawSocket socket(lab_->robot(0), "eth0");
      const Bytes frame = ethernet({robot_mac(1), robot_mac(0)}, 0x88B5, Bytes(86));
      while (!stop.stop_requested()) {
        socket.send(frame);
        std::this_thread::sleep_for(kScenarioPace);
      }
    });
  }

  // Starts the gateway with what is not about ports and robots.
  std::unique_ptr<Process> start(const std::string& yaml, const std::vector<std::string>& further = {}) {
    const std::string radio = yaml.find("embedded") != std::string::npos ? ", radio: wifi_11n_2g4_adhoc" : "";
    file_ = folder_.write(ports_and_robots({"red", "blue"}, radio) + yaml);
    std::vector<std::string> command = {hilgate_program(), "run", file_};
    command.insert(command.end(), further.begin(), further.end());
    return lab_->gateway().start(command);
  }
  // A scenario in a file of its own, beside the configuration.
  std::string write_scenario(const std::string& yaml) const {
    const auto path = std::filesystem::temp_directory_path() / folder_.run() / "scenario.yaml";
    std::ofstream(path) << yaml;
    return path;
  }

  RunFolder folder_;
  std::optional<NetLab> lab_;
  std::string file_;
  std::jthread sender_;
};

constexpr const char* kCut =
    "scenario:\n"
    "  end: 3s\n"
    "  steps:\n"
    "    - {at: 1s, mark: cut, set: {links.red.blue.loss: 100 %}, for: 1s}\n"
    "    - {at: 2500ms, pause: 1s}\n"
    "    - {at: 0s, ramp: {links.blue.red.delay: {from: 0ms, to: 3ms}}, for: 500ms}\n"
    "  expect:\n"
    "    - {loss: {at_most: 0 %}, from: red, to: blue, during: [0s, cut]}\n"
    "    - {loss: {at_least: 100 %}, from: red, to: blue, during: [cut, cut + 1s]}\n"
    "    - {drops: {present: configured_loss}, during: [cut, cut + 1s]}\n"
    "    - {drops: {absent: configured_loss}, during: [cut + 1s, 3s]}\n"
    "    - {loss: {at_most: 0 %}, from: red, during: [cut + 1s, 3s]}\n"
    "    - {reachable: always}\n"
    "    - {rate: {at_least: 10 kbit/s}, from: red, to: blue}\n";

TEST_F(ScenarioNetns, ThatIsMetEndsTheRunWell) {
  const auto begin = std::chrono::steady_clock::now();
  const auto gateway = start(std::string("netsim: {type: wire}\npace: dilate\ndilate: 100 %\n") + kCut);
  EXPECT_EQ(gateway->wait(60s), 0) << gateway->output();
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 4s) << "3 s and the pause";
  EXPECT_THAT(gateway->output(),
              AllOf(ContainsRegex("scenario: cut at 1(\\.0[0-9]+)? s"), HasSubstr("set: links.red.blue.loss=100 %"),
                    HasSubstr("set back: links.red.blue.loss"), HasSubstr("set: links.blue.red.delay=3ms"),
                    HasSubstr("scenario: all went as expected"), Not(HasSubstr("NOT BALANCED"))));
}

TEST_F(ScenarioNetns, FailedExpectationsAreReportedWithStatus1) {
  const std::string scenario = write_scenario(
      "end: 1500ms\n"
      "steps:\n"
      "  - {at: 200ms, mark: out, outage: {from: red}, for: 500ms}\n"
      "  - {at: 900ms, set: {links.red.blue.loss: 100 %}}\n"
      "expect:\n"
      "  - {reachable: never, during: [0s, 1200ms]}\n"
      "  - {loss: {at_most: 1 %}, from: red, to: blue, during: [900ms, 1500ms]}\n"
      "  - {delay: {percentile: 50, at_least: 20ms}, from: red, to: blue}\n"
      "  - {delay: {percentile: 1, at_most: 10ms}, from: red, to: blue}\n"
      "  - {drops: {present: outage}, during: [out, out + 500ms]}\n"
      "  - {drops: {absent: outage}, during: [out + 500ms, 1500ms]}\n");
  const auto gateway =
      start("netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 20ms}]\n", {"--scenario", scenario});
  EXPECT_EQ(gateway->wait(60s), 1) << gateway->output();
  EXPECT_THAT(
      gateway->output(),
      AllOf(HasSubstr(fmt::format("\n{}:6: all links, 0 s to 1.2 s: red > blue was in reach", scenario)),
            ContainsRegex(fmt::format("\n{}:7: red > blue, 0.9 s to 1.5 s: loss was [0-9.]+ % \\([0-9]+ of [0-9]+ "
                                      "deliveries\\); expected at most 1 %",
                                      scenario)),
            ContainsRegex(fmt::format("\n{}:9: red > blue, 0 s to 1.5 s: delay was 2[0-9.]+ ms \\(1 % of [0-9]+ "
                                      "deliveries took less\\); expected at most 10ms",
                                      scenario)),
            Not(HasSubstr("at least 20ms\n")), Not(HasSubstr("as outage"))));
}

TEST_F(ScenarioNetns, RobotsComeAndGo) {
  const auto gateway = start(
      "netsim: {type: embedded}\n"
      "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], blue: [{at: 0s, position: [5m, "
      "0m, "
      "1m]}]}}\n"
      "links: [{from: red, to: blue, delay: 1ms}]\n"
      "scenario:\n"
      "  end: 3s\n"
      "  steps: [{at: 1s, leave: blue}, {at: 2s, join: blue}]\n"
      "  expect:\n"
      "    - {reachable: always, during: [0s, 1s]}\n"
      "    - {rate: {at_least: 10 kbit/s}, from: red, to: blue, during: [0s, 1s]}\n"
      "    - {rate: {at_most: 0 bit/s}, during: [1s, 2s]}\n"
      "    - {rate: {at_least: 10 kbit/s}, from: red, to: blue, during: [2s, 3s]}\n");
  EXPECT_EQ(gateway->wait(60s), 0) << gateway->output();
  EXPECT_THAT(gateway->output(), AllOf(HasSubstr("set: robots.blue="), HasSubstr("set back: robots.blue")));
}

TEST_F(ScenarioNetns, AStationThatWalksIsHandedOver) {
  const std::string file = folder_.write(ports_and_robots({"red"}, ", radio: wifi_11n_2g4_adhoc") +
                                         "physics: {type: trajectory, tracks: {red: [{at: 500ms, position: [5m, 0m, "
                                         "1m]}, {at: 2500ms, position: [115m, 0m, "
                                         "1m]}]}}\n"
                                         "netsim:\n"
                                         "  type: embedded\n"
                                         "  access_points:\n"
                                         "    west: {position: [0m, 0m, 3m], radio: wifi_11n_2g4_adhoc, channel: 1}\n"
                                         "    east: {position: [120m, 0m, 3m], radio: wifi_11n_2g4_adhoc, channel: 6}\n"
                                         "  roaming: {hysteresis: 6 dB, break: 200ms, beacon: 20ms}\n");
  const std::string scenario = write_scenario(
      "end: 3s\n"
      "expect:\n"
      "  - {handover: {robot: red, to: east, within: 250ms}}\n"
      "  - {handover: {robot: red, within: 150ms}}\n"
      "  - {handover: {robot: red, to: west}}\n");
  const auto gateway = lab_->gateway().start({hilgate_program(), "run", file, "--scenario", scenario});
  EXPECT_EQ(gateway->wait(60s), 1) << gateway->output();
  EXPECT_THAT(gateway->output(),
              AllOf(Not(HasSubstr(scenario + ":3")), HasSubstr("\n" + scenario + ":4: red, 0 s to 3 s"),
                    HasSubstr("\n" + scenario + ":5: red, 0 s to 3 s: red has not come to west")));
}

TEST_F(ScenarioNetns, ThatIsCutShortHasNotBeenMet) {
  const std::string scenario = write_scenario("expect: [{reachable: always, during: [0s, 1h]}]\n");
  const auto gateway = start("netsim: {type: wire}\n", {"--scenario", scenario});
  ASSERT_TRUE(gateway->wait_for_output("running", 30s)) << gateway->output();
  gateway->signal(SIGTERM);
  EXPECT_EQ(gateway->wait(20s), 1) << gateway->output();
  EXPECT_THAT(gateway->output(), HasSubstr(scenario + ":1: not judged: the run ended at "));
}

TEST_F(ScenarioNetns, InLockstepStepsAreWhereTheWindowBegins) {
  const SimulatorSockets sockets;
  const auto physics = sockets.start("physics", "native", 2, {"--window", "5ms"});
  const auto gateway = start(
      fmt::format("window: 5ms\npace: lockstep\nphysics: {{type: native, address: '{}'}}\nnetsim: {{type: embedded}}\n"
                  "scenario:\n"
                  "  end: 15s\n"
                  "  steps: [{{at: 5003ms, mark: cut, set: {{links.red.blue.loss: 100 %}}, for: 5s}}]\n"
                  "  expect:\n"
                  "    - {{loss: {{at_most: 10 %}}, from: red, to: blue, during: [1s, cut]}}\n"
                  "    - {{loss: {{at_least: 90 %}}, from: red, to: blue, during: [cut, cut + 5s]}}\n"
                  "    - {{loss: {{at_most: 10 %}}, from: red, to: blue, during: [cut + 5s, 15s]}}\n",
                  sockets.physics()));
  EXPECT_EQ(gateway->wait(100s), 0) << gateway->output();
  EXPECT_THAT(gateway->output(), AllOf(HasSubstr("cut at 5.005 s"), HasSubstr("scenario: all went as expected")));
}

}  // namespace
}  // namespace hilgate::test
