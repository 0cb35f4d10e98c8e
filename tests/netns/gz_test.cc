// SPDX-License-Identifier: Apache-2.0
// A world on Gazebo's real transport, hilgate-gz beside it, and a gateway between real namespaces.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/netns/simulator_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr auto kGzPatience = 20s;

bool in_sight(const RunningGateway& gateway) {
  const auto status = control_request(control_socket(gateway.run()), {{"command", "status"}});
  return status["links"][0]["line_of_sight"].get<bool>();
}

class GazeboTest : public GatewayTest {
 protected:
  void SetUp() override {
    GatewayTest::SetUp();
    own_partition();
  }
  // Nobody else's worlds, and nothing leaves this machine.
  static void own_partition() {
    static std::atomic<unsigned> count = 0;
    ::setenv("IGN_PARTITION", fmt::format("hgt-{}-{}", ::getpid(), ++count).c_str(), 1);
    ::setenv("IGN_IP", "127.0.0.1", 1);
  }

  std::unique_ptr<Process> world(const std::vector<std::string>& further) {
    std::vector<std::string> argv = {HILGATE_GZ_PEER, "yard", "--model", "red", "--model", "blue"};
    argv.insert(argv.end(), further.begin(), further.end());
    auto process = std::make_unique<Process>(argv);
    EXPECT_TRUE(process->wait_for_output("the world is there", kGzPatience)) << process->output();
    return process;
  }
  [[nodiscard]] std::unique_ptr<Process> connector(const std::vector<std::string>& further) const {
    std::vector<std::string> argv = {HILGATE_BIN_DIR "/hilgate-gz", "--socket", sockets.physics()};
    argv.insert(argv.end(), further.begin(), further.end());
    return std::make_unique<Process>(argv);
  }
  [[nodiscard]] std::string yaml(const std::string& pace) const {
    return fmt::format(
        "window: 20ms\n{}netsim: {{type: embedded}}\nlate: hold_last\nphysics: {{type: native, address: '{}', role: "
        "listen, timeout: 0s, patience: 0s}}\n",
        pace, sockets.physics());
  }

  SimulatorSockets sockets;
};

TEST_F(GazeboTest, StepsTheWorldWithTheWindowsAndReadsItsWalls) {
  const auto gazebo = world({});
  const RunningGateway gateway({.yaml = yaml("")});
  const auto connected = connector({"--sdf", HILGATE_SOURCE_DIR "/tests/physics_link/gz/wall.sdf"});
  const auto there = gateway.status_when([](const GatewayStatus& now) { return !now.positions.empty(); });
  ASSERT_EQ(there.positions.size(), 2U) << connected->output();
  EXPECT_GE(there.positions[0][0], 1000) << "the world was 100 s old";
  EXPECT_EQ(there.positions[1], (std::vector<double>{1001, 10, 1}));
  // The wall stands from 999 m to 1003 m, half way to blue: it is between them until red has passed 1005 m.
  EXPECT_TRUE(there.positions[0][0] > 1004 || !in_sight(gateway)) << there.positions[0][0];
  const auto past = gateway.status_when([](const GatewayStatus& now) { return now.positions[0][0] > 1010; });
  EXPECT_GT(past.positions[0][0], 1010) << connected->output();
  EXPECT_TRUE(in_sight(gateway));
  EXPECT_THAT(connected->output(), HasSubstr("world 'yard' has 1 obstacles"));
}

TEST_F(GazeboTest, FollowsAWorldThatRuns) {
  const auto gazebo = world({"--running"});
  const RunningGateway gateway({.yaml = yaml("")});
  const auto connected = connector({"--world", "yard", "--follow"});
  const auto there = gateway.status_when([](const GatewayStatus& now) { return !now.positions.empty(); });
  ASSERT_EQ(there.positions.size(), 2U) << connected->output();
  const double begin = there.positions[0][0];
  const auto later = gateway.status_when([&](const GatewayStatus& now) { return now.positions[0][0] > begin + 2; });
  EXPECT_GT(later.positions[0][0], begin + 2) << connected->output();
}

// A world that takes twice as long as it should, and is told nothing: simulation time is its time.
TEST_F(GazeboTest, SimulationTimeKeepsStepWithAWorldThatRuns) {
  const auto gazebo = world({"--running", "--slow", "2"});
  const RunningGateway gateway({.yaml = yaml("pace: follow\nfollow: {slowest: 10 %, fastest: 150 %}\n")});
  const auto connected = connector({"--world", "yard", "--paced"});
  nlohmann::ordered_json follow;
  for (const auto end = std::chrono::steady_clock::now() + kGzPatience; std::chrono::steady_clock::now() < end;) {
    follow = control_request(control_socket(gateway.run()), {{"command", "clock"}})["follow"];
    if (follow["state"] == "following" && std::abs(follow["rate"].get<double>() - 0.5) < 0.05) {
      break;
    }
  }
  EXPECT_EQ(follow["state"], "following") << follow << connected->output();
  EXPECT_NEAR(follow["rate"].get<double>(), 0.5, 0.05) << follow;
  const auto there = gateway.status_when([](const GatewayStatus& now) { return !now.positions.empty(); });
  EXPECT_EQ(there.positions.size(), 2U) << connected->output();
}

TEST_F(GazeboTest, ListsTheWorlds) {
  const auto gazebo = world({});
  const auto connected = connector({"--world", "yrad", "--patience", "2s"});
  EXPECT_EQ(connected->wait(kGzPatience), 1);
  EXPECT_THAT(connected->output(),
              HasSubstr("world 'yrad' not found on Gazebo's transport for 2 s; existing worlds: yard"));
}

// One after the other, beside the same gateway.
TEST_F(GazeboTest, ReportsASilentTopicAnUnknownModelAndAWorldThatDoesNotStep) {
  const RunningGateway gateway({.yaml = yaml("")});
  const auto refused = [this](const std::vector<std::string>& further) {
    const auto connected = connector(further);
    EXPECT_EQ(connected->wait(kGzPatience), 1);
    return connected->output();
  };
  {
    const auto gazebo = world({"--silent"});
    EXPECT_THAT(refused({"--world", "yard", "--silence", "1s"}),
                HasSubstr("world 'yard' exists, but /world/yard/pose/info published nothing for 1 s"));
  }
  own_partition();
  {
    const Process gazebo({HILGATE_GZ_PEER, "yard", "--model", "red"});
    EXPECT_THAT(refused({"--world", "yard"}), HasSubstr("model 'blue' does not exist in world 'yard'; it has: red"));
  }
  own_partition();
  const auto gazebo = world({"--stuck", "--running"});  // until it is held
  EXPECT_THAT(refused({"--world", "yard", "--silence", "1s"}), HasSubstr("for 1 s"));
}

}  // namespace
}  // namespace hilgate::test
