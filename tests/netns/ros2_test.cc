// SPDX-License-Identifier: Apache-2.0
// A gateway among those who speak ROS 2: nodes of other network namespaces, with the types as ROS 2 has them on the
// wire.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/netns/simulator_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

// A network beside that of the robots, from the gateway to a machine with ROS 2.
class Ros2Network {
 public:
  explicit Ros2Network(const NetNs& gateway)
      : cable_({.where = &gateway, .name = "ros0", .mac = {}, .addresses = {"10.99.0.1/24"}},
               {.where = &machine_, .name = "eth0", .mac = {}, .addresses = {"10.99.0.2/24"}}) {
    machine_.run_ok("ip link set lo up");
  }

  [[nodiscard]] std::unique_ptr<Process> peer(const std::vector<std::string>& words) const {
    std::vector<std::string> argv = {HILGATE_ROS2_PEER, "eth0"};
    argv.insert(argv.end(), words.begin(), words.end());
    return machine_.start(argv);
  }

 private:
  NetNs machine_{"ros"};
  VethPair cable_;
};

class Ros2Test : public GatewayTest {
 protected:
  static Json source(const Json& status, std::size_t robot) { return status["window"]["feed"]["sources"][robot]; }
  static double x_of(const Json& status, std::size_t robot) {
    const Json& at = status["robots"][robot];
    return at.contains("position") ? at["position"][0].get<double>() : 0;
  }
  static std::string conditions(const Json& status) { return status["conditions"].dump(); }
};

const std::string kRos2Poses =
    "window: 20ms\nnetsim: {type: embedded}\n"
    "physics: {type: ros2, interface: ros0, stale: 700ms, poses: {blue: {topic: /blue/odom, message: Odometry}}}\n";

TEST_F(Ros2Test, MovesRobotsByMessages) {
  const RunningGateway gateway({.yaml = kRos2Poses});
  const Json before = status_when(gateway.run(), [](const Json& now) { return source(now, 0).contains("trouble"); });
  EXPECT_EQ(source(before, 0).value("trouble", ""), "interface 'ros0' does not exist") << gateway.output();
  EXPECT_THAT(conditions(before), HasSubstr("robot red: no positions can come: interface 'ros0' does not exist"));

  const Ros2Network network(gateway.lab().gateway());
  const auto red = network.peer({"say", "pose", "/vrpn_mocap/red/pose", "30"});
  const auto blue = network.peer({"say", "odometry", "/blue/odom", "-20"});
  const Json there =
      status_when(gateway.run(), [](const Json& now) { return x_of(now, 0) == 30 && x_of(now, 1) == -20; });
  EXPECT_EQ(there["robots"][0].value("position", Json()), Json({30, 2, 1})) << gateway.output() << red->output();
  EXPECT_EQ(x_of(there, 1), -20) << gateway.output() << blue->output();
  EXPECT_FALSE(source(there, 0).contains("trouble")) << source(there, 0);
  const double near = there["links"][0]["snr_db"].get<double>();

  red->stop();
  const auto far = network.peer({"say", "pose", "/vrpn_mocap/red/pose", "300"});
  const Json moved =
      status_when(gateway.run(), [&](const Json& now) { return now["links"][0]["snr_db"].get<double>() < near - 10; });
  EXPECT_LT(moved["links"][0]["snr_db"].get<double>(), near - 10) << "the link follows: " << gateway.output();

  blue->stop();
  const Json stale = status_when(
      gateway.run(), [](const Json& now) { return conditions(now).find("position_stale") != std::string::npos; });
  EXPECT_THAT(conditions(stale), HasSubstr("blue: held where it was last"));
  EXPECT_EQ(x_of(stale, 1), -20);
}

// What motion capture, GNSS receivers and PX4 publish, best effort as sensors do.
struct Published {
  std::string message;  // of the configuration
  std::vector<std::string> peer;
  Json position;
};

TEST_F(Ros2Test, MovesRobotsBySensorsAndAutopilots) {
  const std::vector<Published> all = {
      {"topic: /b/pose, message: PoseWithCovarianceStamped", {"covariant", "/b/pose", "30"}, {30, 2, 1}},
      {"topic: /poses, message: NamedPoseArray, name: cf2", {"named", "/poses", "12"}, {12, 2, 1}},
      {"topic: /b/fix, message: NavSatFix", {"fix", "/b/fix", "47.001"}, {0, 111, 0}},
      {"topic: /fmu/out/vehicle_odometry, message: VehicleOdometry",
       {"vehicle_odometry", "/fmu/out/vehicle_odometry", "25"},
       {7, 25, 3}},
      {"topic: /fmu/out/vehicle_global_position, message: VehicleGlobalPosition",
       {"global_position", "/fmu/out/vehicle_global_position", "47.001"},
       {0, 111, 0}}};
  std::vector<std::string> names;
  std::string poses;
  for (const Published& published : all) {
    names.push_back(fmt::format("r{}", names.size()));
    poses += fmt::format("    {}: {{{}}}\n", names.back(), published.message);
  }
  const RunningGateway gateway({.yaml = "window: 20ms\nnetsim: {type: embedded}\nphysics:\n  type: ros2\n"
                                        "  interface: ros0\n  origin: {latitude: 47, longitude: 8, altitude: 400 m}\n"
                                        "  poses:\n" +
                                        poses,
                                .robots = names});
  const Ros2Network network(gateway.lab().gateway());
  std::vector<std::unique_ptr<Process>> peers;
  for (const Published& published : all) {
    std::vector<std::string> argv{"say"};
    argv.insert(argv.end(), published.peer.begin(), published.peer.end());
    peers.push_back(network.peer(argv));
  }
  const auto is_there = [&all](const Json& status, std::size_t n) {
    const Json& robot = status["robots"][n];
    return robot.contains("position") &&
           std::ranges::equal(robot["position"], all[n].position, [](const Json& is, const Json& expected) {
             return std::abs(is.get<double>() - expected.get<double>()) < 0.5;
           });
  };
  const Json now = status_when(gateway.run(), [&](const Json& each) {  // a window after the feed counts a position
    bool are_there = true;
    for (std::size_t n = 0; n < all.size(); ++n) {
      are_there &= is_there(each, n);
    }
    return are_there;
  });
  for (std::size_t n = 0; n < all.size(); ++n) {
    EXPECT_TRUE(is_there(now, n)) << all[n].message << ": " << now["robots"][n] << source(now, n) << gateway.output();
    EXPECT_EQ(source(now, n).value("malformed", 0), 0) << all[n].message;
  }
}

TEST_F(Ros2Test, FollowsTransforms) {
  const RunningGateway gateway(
      {.yaml =
           "window: 20ms\nnetsim: {type: embedded}\n"
           "physics: {type: ros2, interface: ros0, poses: {red: {frame: green/base_link}, blue: {frame: lost}}}\n"});
  const Ros2Network network(gateway.lab().gateway());
  const auto robot = network.peer({"say", "transforms", "/tf", "5"});
  const Json there = status_when(gateway.run(), [](const Json& now) { return x_of(now, 0) == 105; });
  EXPECT_EQ(x_of(there, 0), 105) << gateway.output();
  const Json lost = status_when(gateway.run(), [](const Json& now) { return source(now, 1).contains("trouble"); });
  EXPECT_EQ(source(lost, 1).value("trouble", ""), "no transforms lead from 'lost' to 'map'");
}

TEST_F(Ros2Test, CountsAndNamesIgnoredMessages) {
  const RunningGateway gateway({.yaml = kRos2Poses});
  const Ros2Network network(gateway.lab().gateway());
  const auto good = network.peer({"say", "pose", "/vrpn_mocap/red/pose", "30"});
  const auto none = network.peer({"say", "pose", "/vrpn_mocap/red/pose", "nan"});
  const auto early = network.peer({"say", "future", "/vrpn_mocap/red/pose", "1"});
  const auto late = network.peer({"say", "old", "/vrpn_mocap/red/pose", "2"});
  const auto other = network.peer({"say", "pose", "/blue/odom", "3"});
  const auto counted = [](const Json& now) {
    const Json red = source(now, 0);
    return red["malformed"] > 0 && red["future"] > 0 && red["old"] > 0 && red["positions"] > 0 &&
           source(now, 1).contains("trouble") && x_of(now, 0) == 30 &&  // a window later
           conditions(now).find("are refused") != std::string::npos;
  };
  const Json now = status_when(gateway.run(), counted);
  EXPECT_TRUE(counted(now)) << now["window"]["feed"] << gateway.output();
  EXPECT_EQ(x_of(now, 0), 30);
  EXPECT_GT(now["window"]["feed"]["malformed"], 0);
  EXPECT_EQ(source(now, 1).value("trouble", ""),
            "/blue/odom has 1 publisher of geometry_msgs/msg/PoseStamped, and none of nav_msgs/msg/Odometry");
  EXPECT_THAT(conditions(now), HasSubstr("robot red: /vrpn_mocap/red/pose brings positions that are refused"));
  EXPECT_EQ(x_of(now, 1), 0);
}

const std::string kRos2Topics =
    "window: 20ms\nnetsim: {type: embedded}\n"
    "physics: {type: ros2, interface: ros0, poses: {blue: {topic: /blue/odom, message: Odometry}}}\n"
    "ros2: {interface: ros0, diagnostics: 200ms, links: 100ms, connections: 200ms}\n";

TEST_F(Ros2Test, PublishesHowLinksAre) {
  const RunningGateway gateway({.yaml = kRos2Topics});
  const Ros2Network network(gateway.lab().gateway());
  const auto links = network.peer({"hear", "links", "/hilgate/links"});
  const auto diagnostics = network.peer({"hear", "diagnostics", "/diagnostics"});
  const auto connection = network.peer({"hear", "connection", "/blue/connection"});
  const auto blue = network.peer({"say", "odometry", "/blue/odom", "0"});
  const auto near = network.peer({"say", "pose", "/vrpn_mocap/red/pose", "10"});
  EXPECT_TRUE(links->wait_for_output("red to blue in reach loss ", 60s)) << links->output();
  EXPECT_TRUE(connection->wait_for_output("to red: ", 60s)) << connection->output();
  EXPECT_TRUE(diagnostics->wait_for_output("0 hilgate " + gateway.run() + ": link red to blue [loss ", 60s))
      << diagnostics->output();
  EXPECT_THAT(diagnostics->output(), HasSubstr("hilgate " + gateway.run() + ": simulator physics ["));
  EXPECT_THAT(diagnostics->output(), HasSubstr("hilgate " + gateway.run() + ": robot blue ["));
  near->stop();
  // Far away: the state follows, by what is published.
  const auto far = network.peer({"say", "pose", "/vrpn_mocap/red/pose", "90000"});
  EXPECT_TRUE(links->wait_for_output("red to blue out of reach", 60s)) << links->output();
  EXPECT_TRUE(diagnostics->wait_for_output("1 hilgate " + gateway.run() + ": link red to blue [out of range]", 60s))
      << diagnostics->output();
}

// Instants of all messages on /clock, s.
std::vector<double> instants_of(const std::string& output) {
  std::vector<double> instants;
  std::istringstream lines(output);
  for (std::string word; lines >> word;) {
    if (word != "clock") {
      instants.push_back(std::stod(word));
    }
  }
  return instants;
}

TEST_F(Ros2Test, PublishesTheClockOfARunInLockstep) {
  const SimulatorSockets sockets;
  const auto physics = sockets.start("physics", "native", 2, {"--window", "20ms"});
  const RunningGateway gateway({.yaml = fmt::format("window: 20ms\npace: lockstep\nnetsim: {{type: embedded}}\n"
                                                    "physics: {{type: native, address: '{}'}}\n"
                                                    "ros2: {{interface: ros0, clock: 5ms}}\n",
                                                    sockets.physics())});
  const Ros2Network network(gateway.lab().gateway());
  const auto clock = network.peer({"hear", "clock", "/clock"});
  std::vector<double> instants;
  status_when(gateway.run(), [&](const Json&) {
    const std::string said = clock->output();
    instants = instants_of(said.substr(0, said.rfind('\n') + 1));
    return instants.size() >= 20;
  });
  ASSERT_GE(instants.size(), 20U) << gateway.output();
  for (std::size_t i = 0; i < instants.size(); ++i) {
    EXPECT_NEAR(instants[i] / 0.02, std::round(instants[i] / 0.02), 1e-6) << "a window begins";
    EXPECT_TRUE(i == 0 || instants[i] > instants[i - 1]) << "it goes forwards: " << instants[i];
  }
}

TEST_F(Ros2Test, SimulationTimeKeepsStepWithTheClockOfASimulator) {
  const RunningGateway gateway({.yaml = "window: 20ms\npace: follow\nnetsim: {type: wire}\nphysics: {type: ros2, "
                                        "interface: ros0, stamps: ignore}\n"});
  const auto followed = [&gateway] {
    return control_request(control_socket(gateway.run()), {{"command", "clock"}})["follow"];
  };
  EXPECT_EQ(followed()["state"], "waiting");
  const Ros2Network network(gateway.lab().gateway());
  const auto simulator = network.peer({"say", "half_speed", "/clock"});
  Json follow;
  gateway.status_when([&](const GatewayStatus&) {
    follow = followed();
    return follow["state"] == "following" && std::abs(follow["rate"].get<double>() - 0.5) < 0.05;
  });
  EXPECT_EQ(follow["state"], "following") << follow << simulator->output();
  EXPECT_NEAR(follow["rate"].get<double>(), 0.5, 0.05) << follow;
}

}  // namespace
}  // namespace hilgate::test
