// SPDX-License-Identifier: Apache-2.0
// Network simulators with ROS-NetSim's protocol that are not ours: they know IPv4 packets and nothing else.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdio>

#include "tests/netns/gateway_test.h"
#include "tests/netns/simulator_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class RosNetSim : public GatewayTest {
 protected:
  [[nodiscard]] std::string yaml(const std::string& netsim = {}, const std::string& further = {}) const {
    return fmt::format("window: 10ms\n{}netsim: {{type: rosnetsim, address: '{}', expiry: 10s{}}}\n", further,
                       sockets_.netsim(), netsim);
  }
  [[nodiscard]] std::unique_ptr<Process> simulator(const std::vector<std::string>& further = {}) const {
    std::vector<std::string> argv = {"/usr/bin/python3", HILGATE_IPV4_SIMULATOR, sockets_.netsim().substr(5)};
    argv.insert(argv.end(), further.begin(), further.end());
    return std::make_unique<Process>(argv);
  }
  static void forget_neighbours(const RunningGateway& gateway) {
    gateway.robot(0).run_ok("ip neigh flush all");
    gateway.robot(1).run_ok("ip neigh flush all");
  }

  SimulatorSockets sockets_;
};

TEST_F(RosNetSim, ASimulatorThatKnowsIpv4AloneCarriesPingsOfBothVersions) {
  const auto netsim = simulator();
  const RunningGateway gateway({.yaml = yaml()});
  windows_running(gateway);
  forget_neighbours(gateway);
  gateway.robot(0).run_ok("ping -c 3 -i 0.2 -W 5 " + NetLab::ipv4(1));
  EXPECT_THAT(gateway.robot(0).run_ok("ip -4 neigh"),
              HasSubstr(NetLab::ipv4(1) + " dev eth0 lladdr " + NetLab::mac(1)));
  EXPECT_THAT(netsim->output(), Not(HasSubstr("offered a broadcast")));
  for (std::size_t n = 0; n < 2; ++n) {
    gateway.robot(n).run_ok("echo 0 > /proc/sys/net/ipv6/conf/eth0/disable_ipv6 && ip addr replace " + NetLab::ipv6(n) +
                            "/64 dev eth0 nodad");
  }
  gateway.robot(0).run_ok("ping -c 3 -i 0.2 -W 5 " + NetLab::ipv6(1));
}

// Captured in one window, offered in the next and released as that is answered; the answer likewise.
TEST_F(RosNetSim, ReleasesInTheReferencesWindow) {
  for (const char* pace : {"pace: wall\n", "pace: lockstep\n"}) {
    SCOPED_TRACE(pace);
    const auto netsim = simulator();
    const auto physics = sockets_.start("physics", "rosnetsim", 2, {"--window", "100ms", "--slow", "95ms"});
    const RunningGateway gateway({.yaml = fmt::format("window: 100ms\n{}physics: {{type: rosnetsim, address: '{}'}}\n"
                                                      "netsim: {{type: rosnetsim, address: '{}'}}\n",
                                                      pace, sockets_.physics(), sockets_.netsim())});
    windows_running(gateway);
    const std::string pings = gateway.robot(0).run_ok("ping -q -c 10 -i 0.21 -W 5 " + NetLab::ipv4(1));
    const std::size_t figures = pings.find("= ") + 2;
    double least = 0, middle = 0;
    ASSERT_EQ(std::sscanf(pings.c_str() + figures, "%lf/%lf", &least, &middle), 2) << pings;
    EXPECT_LT(middle, 250) << "the reference has up to two windows";
    EXPECT_GT(least, 90) << "offered in another window than it was captured in";
  }
}

TEST_F(RosNetSim, MayCountWindowsAsItLikes) {
  const auto netsim = simulator({"--time-val", "5"});
  const RunningGateway gateway({.yaml = yaml()});
  windows_running(gateway, 20);
  gateway.robot(0).run_ok("ping -c 3 -i 0.2 -W 5 " + NetLab::ipv4(1));
  const std::string said = gateway.output();
  const std::size_t first = said.find("time_val 5");
  EXPECT_NE(first, std::string::npos) << said;
  EXPECT_EQ(said.find("END with time_val", first + 1), std::string::npos) << "once is enough: " << said;
}

TEST_F(RosNetSim, SimulatorWithOtherAddressesIsReported) {
  const auto netsim = std::make_unique<Process>(
      std::vector<std::string>{hilgate_program(), "sim", "network", "--protocol", "rosnetsim", "--socket",
                               sockets_.netsim(), "--window", "10ms", "--ip", "192.168.0.1", "--ip", "192.168.0.2"});
  {
    const RunningGateway gateway({.yaml = yaml()});
    windows_running(gateway);
    EXPECT_NE(gateway.robot(0).run("ping -c 1 -W 1 " + NetLab::ipv4(1)).status, 0);
  }
  ASSERT_TRUE(netsim->wait(5s));
  EXPECT_THAT(netsim->output(), HasSubstr(fmt::format("from {} to {}: the robots here have 192.168.0.1, 192.168.0.2",
                                                      NetLab::ipv4(0), NetLab::ipv4(1))));
  EXPECT_THAT(netsim->output(), HasSubstr("packets were not from and to the robots' addresses"));
}

}  // namespace
}  // namespace hilgate::test
