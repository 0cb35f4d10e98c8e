// SPDX-License-Identifier: Apache-2.0
// Real frames through the real gateway, judged by simulators of their own processes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <csignal>

#include "frame/id.h"
#include "rf_profiles/numeric/random.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/netns/simulator_rig.h"
#include "tests/support/statistics.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::size_t kSimulatedFrames = 300;

using SimulatorTest = GatewayTest;

// By protocol of the network simulator that judges packets.
class Verdicts : public SimulatorTest, public testing::WithParamInterface<const char*> {
 protected:
  [[nodiscard]] std::string yaml(const std::string& further = {}) const {
    const std::string exact = GetParam() == std::string("rosnetsim") ? ", extensions: true" : "";
    return fmt::format("window: 5ms\n{}netsim: {{type: {}, address: '{}', expiry: 1h{}}}\n", further, GetParam(),
                       sockets_.netsim(), exact);
  }
  [[nodiscard]] std::unique_ptr<Process> simulator(const std::vector<std::string>& further = {},
                                                   std::size_t robots = 2) const {
    std::vector<std::string> argv = {"--window", "5ms"};
    argv.insert(argv.end(), further.begin(), further.end());
    return sockets_.start("network", GetParam(), robots, argv);
  }

  SimulatorSockets sockets_;
};

// What ScriptedNetwork loses: a function of seed, receiver and packet.
std::vector<std::uint64_t> scripted_losses(double loss, RobotIndex receiver) {
  std::vector<std::uint64_t> lost;
  for (std::uint64_t packet = 0; packet < kSimulatedFrames; ++packet) {
    FrameRandom random(1, receiver.value(), packet);
    if (random.uniform() <= loss) {
      lost.push_back(packet);
    }
  }
  return lost;
}

TEST_P(Verdicts, DelayAndLoseEachPacketByTheSimulator) {
  const auto netsim = simulator({"--delay", "60ms", "--loss", "20%"});
  const RunningGateway gateway({.yaml = yaml()});
  windows_running(gateway);
  NumberedTraffic traffic(gateway);
  const auto arrivals = traffic.to_one({.frames = kSimulatedFrames});
  EXPECT_THAT(lost(arrivals, kSimulatedFrames), ElementsAreArray(scripted_losses(0.2, RobotIndex{1})));
  EXPECT_GE(delay_quantile(arrivals, 0), 60ms) << "a frame came early";
  const GatewayStatus end = gateway.status();
  EXPECT_TRUE(end.balanced);
  EXPECT_EQ(end.totals("out"), arrivals.size());
  EXPECT_EQ(end.dropped("unreachable") + end.dropped("verdict_drop"), kSimulatedFrames - arrivals.size());
  EXPECT_EQ(end.verdicts("offered"), kSimulatedFrames);
}

class VerdictsOfSome : public Verdicts {};

// Left and right are judged, red and blue have radios.
TEST_P(VerdictsOfSome, RunWithTheRadiosOfOthers) {
  const std::vector<std::string> names = {"left", "right", "red", "blue"};
  std::string wiring =
      "ports: {left: {interface: hg-left}, right: {interface: hg-right}, red: {interface: hg-red}, "
      "blue: {interface: hg-blue}}\nrobots:\n";
  for (std::size_t n = 0; n < names.size(); ++n) {
    wiring += fmt::format("  {}: {{port: {}, mac: \"{}\", ip: {}{}}}\n", names[n], names[n], NetLab::mac(n),
                          NetLab::ipv4(n), n < 2 ? "" : ", radio: wifi_11ag");
  }
  const auto netsim = simulator({"--delay", "60ms", "--loss", "20%"}, names.size());
  const RunningGateway gateway(
      {.yaml = fmt::format("window: 5ms\nnetsim: {{type: embedded, simulator: {{type: {}, robots: [left, right], "
                           "address: '{}', expiry: 1h}}}}\nphysics: {{type: trajectory, tracks: {{red: [{{at: 0s, "
                           "position: [0m, 0m, 2m]}}], blue: [{{at: 0s, position: [20m, 0m, 2m]}}], left: [{{at: 0s, "
                           "position: [0m, 9m, 2m]}}], right: [{{at: 0s, position: [0m, 19m, 2m]}}]}}}}\n",
                           GetParam(), sockets_.netsim()),
       .robots = names,
       .wiring = wiring});
  windows_running(gateway);
  NumberedTraffic judged(gateway);
  const auto arrivals = judged.to_one({.frames = kSimulatedFrames});
  EXPECT_THAT(lost(arrivals, kSimulatedFrames), ElementsAreArray(scripted_losses(0.2, RobotIndex{1})));
  EXPECT_GE(delay_quantile(arrivals, 0), 60ms);
  EXPECT_EQ(gateway.status().verdicts("offered"), kSimulatedFrames);
  const auto pings_by_radio = [&] { return gateway.robot(2).run("ping -c 20 -i 0.02 -W 1 " + NetLab::ipv4(3)).output; };
  EXPECT_THAT(pings_by_radio(), HasSubstr(" 20 received"));
  netsim->signal(SIGSTOP);  // radios do not wait for the simulator
  EXPECT_THAT(pings_by_radio(), HasSubstr(" 20 received"));
  const std::uint64_t published = gateway.status().window("published");
  const auto continues = [&](const GatewayStatus& now) { return now.window("published") > published + 10; };
  EXPECT_TRUE(continues(gateway.status_when(continues)));
  netsim->signal(SIGCONT);
  const GatewayStatus end = gateway.status();
  EXPECT_EQ(end.verdicts("offered"), kSimulatedFrames) << "packets of radios are not the simulator's";
  EXPECT_TRUE(end.balanced);
}

// Frames without a time in them, so that runs can be compared byte by byte.
std::vector<Bytes> received_in_lockstep(const SimulatorSockets& sockets, const std::string& protocol,
                                        const std::string& netsim_yaml) {
  const auto netsim =
      sockets.start("network", protocol, 3, {"--window", "5ms", "--delay", "15ms", "--loss", "20%", "--ber", "1e-4"});
  const RunningGateway gateway({.yaml = netsim_yaml, .robots = {"red", "blue", "green"}});
  windows_running(gateway);
  const RawSocket red(gateway.robot(0), "eth0");
  const RawSocket blue(gateway.robot(1), "eth0");
  const RawSocket green(gateway.robot(2), "eth0");
  for (std::size_t n = 0; n < 200; ++n) {
    const Bytes body(200 + n, static_cast<std::uint8_t>(n));
    red.send(ethernet({n % 3 == 0 ? kBroadcast : robot_mac(1)}, kTrafficEthertype, body));
  }
  const GatewayStatus end = gateway.settled(200);
  EXPECT_TRUE(end.balanced);
  std::vector<Bytes> received;
  for (const auto& [socket, robot] : {std::pair{&blue, "blue"}, std::pair{&green, "green"}}) {
    for (std::uint64_t n = end.link("red", robot).counts("released"); n > 0; --n) {
      received.push_back(socket->receive(5000ms).value_or(Bytes{}));
    }
  }
  return received;
}

TEST_P(Verdicts, InLockstepAreTheSameByteForByte) {
  const std::string lockstep = yaml("pace: lockstep\n");
  const auto first = received_in_lockstep(sockets_, GetParam(), lockstep);
  EXPECT_GT(first.size(), 100U);
  EXPECT_EQ(received_in_lockstep(sockets_, GetParam(), lockstep), first);
}

INSTANTIATE_TEST_SUITE_P(Protocols, VerdictsOfSome, testing::Values("native"));
INSTANTIATE_TEST_SUITE_P(Protocols, Verdicts, testing::Values("native", "rosnetsim"),
                         [](const auto& protocol) { return std::string(protocol.param); });

// ---- physics ----

// Little enough for a radio's transmit queue, however late the test is scheduled.
const Numbered kEasy{.frames = 30};

// By protocol of the physics simulator; the radios are ours.
class ExternalPhysics : public SimulatorTest, public testing::WithParamInterface<const char*> {};

TEST_P(ExternalPhysics, MovesRobotsAndTheirRadiosFollow) {
  const SimulatorSockets sockets;
  const RunningGateway gateway(
      {.yaml = fmt::format("window: 5ms\nphysics: {{type: {}, address: '{}'}}\nnetsim: {{type: embedded}}\n",
                           GetParam(), sockets.physics())});
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(traffic.to_one({.frames = 20}), IsEmpty()) << "nobody has said where the robots are";
  EXPECT_EQ(gateway.status().dropped("unreachable"), 20U);
  const auto physics = sockets.start("physics", GetParam(), 2, {"--window", "5ms"});
  windows_running(gateway, 5);
  EXPECT_THAT(lost(traffic.to_one(kEasy), kEasy.frames), IsEmpty());
  const GatewayStatus end = gateway.status();
  EXPECT_GT(end.physics("windows"), 0U);
  ASSERT_EQ(end.positions.size(), 2U);
  EXPECT_NEAR(std::hypot(end.positions[1][0], end.positions[1][1]), 20, 1e-6) << "its circle";
}

INSTANTIATE_TEST_SUITE_P(Protocols, ExternalPhysics, testing::Values("native", "rosnetsim", "dancers"),
                         [](const auto& protocol) { return std::string(protocol.param); });

// CORNET's bridges connect once and write lines whenever they like.
TEST_F(SimulatorTest, CornetPushesPositions) {
  const SimulatorSockets sockets;
  const std::string positions = sockets.physics().substr(5);
  const RunningGateway gateway(
      {.yaml = fmt::format("window: 5ms\nphysics: {{type: cornet, positions: {0}, clock: {0}-clock}}\n"
                           "netsim: {{type: embedded}}\n",
                           positions)});
  const Process bridge({"/usr/bin/python3", "-c",
                        fmt::format("import signal, socket\n"
                                    "s = socket.socket(socket.AF_UNIX); s.connect('{}')\n"
                                    "s.sendall(b'{{\"name\": \"blue\", \"x\": 30, \"y\": 4, \"z\": 5}}\\n')\n"
                                    "signal.pause()\n",
                                    positions)});
  const GatewayStatus end = gateway.status_when([](const GatewayStatus& now) {
    return now.positions.size() == 2 && now.positions[1] == std::vector<double>{30, 4, 5};
  });
  ASSERT_EQ(end.positions.size(), 2U) << bridge.output();
  EXPECT_EQ(end.positions[1], (std::vector<double>{30, 4, 5})) << bridge.output();
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one(kEasy), kEasy.frames), IsEmpty());
}

// Frames without a time in them that red sends to blue over an air in lockstep, as blue received them.
std::vector<Bytes> received_from_air_in_lockstep(const SimulatorSockets& sockets, const std::string& yaml,
                                                 const std::vector<std::vector<std::string>>& simulators) {
  std::vector<std::unique_ptr<Process>> running;
  for (const auto& simulator : simulators) {
    running.push_back(sockets.start(simulator[0], simulator[1], 2, {simulator.begin() + 2, simulator.end()}));
  }
  const RunningGateway gateway({.yaml = yaml});
  windows_running(gateway);
  const RawSocket red(gateway.robot(0), "eth0");
  const RawSocket blue(gateway.robot(1), "eth0");
  for (std::size_t n = 0; n < 40; ++n) {
    red.send(ethernet({robot_mac(1)}, kTrafficEthertype, Bytes(200 + n, static_cast<std::uint8_t>(n))));
  }
  const GatewayStatus end = gateway.settled(40);
  EXPECT_TRUE(end.balanced);
  EXPECT_EQ(end.link("red", "blue").counts("released") + end.dropped("verdict_drop"), 40U) << gateway.output();
  std::vector<Bytes> received;
  for (std::uint64_t n = end.link("red", "blue").counts("released"); n > 0; --n) {
    received.push_back(blue.receive(5000ms).value_or(Bytes{}));
  }
  return received;
}

// By protocol of physics: our radios, and what configuration adds to their links, in simulated time.
TEST_P(ExternalPhysics, InLockstepWithOurRadiosIsTheSameByteForByte) {
  const SimulatorSockets sockets;
  const std::string yaml = fmt::format(
      "window: 5ms\npace: lockstep\nphysics: {{type: {}, address: '{}'}}\nnetsim: {{type: embedded}}\n"
      "links: [{{from: red, to: blue, delay: 15ms, loss: 30 %}}]\n",
      GetParam(), sockets.physics());
  const std::vector<std::vector<std::string>> physics{{"physics", GetParam(), "--window", "5ms"}};
  const auto first = received_from_air_in_lockstep(sockets, yaml, physics);
  EXPECT_GT(first.size(), 15U);
  EXPECT_LT(first.size(), 40U);
  EXPECT_EQ(received_from_air_in_lockstep(sockets, yaml, physics), first);
}

TEST_F(SimulatorTest, DancersNetworksRunInLockstep) {
  const SimulatorSockets sockets;
  const std::string yaml = fmt::format(
      "window: 10ms\npace: lockstep\nphysics: {{type: dancers, address: '{}', step: 5ms}}\n"
      "netsim: {{type: dancers, address: '{}', step: 2ms}}\n"
      "links: [{{from: red, to: blue, delay: 20ms, loss: 30 %}}]\n",
      sockets.physics(), sockets.netsim());
  const std::vector<std::vector<std::string>> both{{"physics", "dancers", "--window", "5ms"},
                                                   {"network", "dancers", "--window", "2ms"}};
  const auto first = received_from_air_in_lockstep(sockets, yaml, both);
  EXPECT_GT(first.size(), 15U);
  EXPECT_LT(first.size(), 40U);
  EXPECT_EQ(received_from_air_in_lockstep(sockets, yaml, both), first);
}

}  // namespace
}  // namespace hilgate::test
