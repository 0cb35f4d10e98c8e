// SPDX-License-Identifier: Apache-2.0
// Real frames through the real gateway, and ns-3 decides about them.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <fstream>

#include "tests/loop.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/netns/simulator_rig.h"
#include "tests/support/traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kNs3Robots[] =
    "robots: {red: {ip: 10.77.0.1, at: [0m, 0m, 2m]}, blue: {ip: 10.77.0.2, at: [20m, 0m, 2m]}, far: {ip: 10.77.0.3, "
    "at: [9000m, 0m, 2m]}}\n";
constexpr char kWifi[] =
    "network: {type: wifi, standard: 802.11n, rate_control: ideal}\n"
    "propagation: {type: log_distance, settings: {Exponent: 3, ReferenceLoss: 40.05}}\n";

class Ns3Gateway : public GatewayTest {
 protected:
  [[nodiscard]] std::unique_ptr<Process> ns3(const std::string& scenario) const {
    std::ofstream(folder_.file("ns3.yaml")) << kNs3Robots << scenario;
    return std::make_unique<Process>(std::vector<std::string>{HILGATE_BIN_DIR "/hilgate-ns3", folder_.file("ns3.yaml"),
                                                              "--socket", sockets_.netsim()});
  }
  // Windows without a clock, so that it does not matter how busy the machine is.
  [[nodiscard]] std::string yaml() const {
    return fmt::format(
        "window: 5ms\npace: lockstep\nnetsim: {{type: native, address: '{}', expiry: 1h}}\n"
        "physics: {{type: trajectory, tracks: {{red: [{{at: 0s, position: [0m, 0m, 2m]}}], "
        "blue: [{{at: 0s, position: [20m, 0m, 2m]}}], far: [{{at: 0s, position: [9000m, 0m, 2m]}}]}}}}\n",
        sockets_.netsim());
  }

  TempDir folder_;
  SimulatorSockets sockets_;
};

TEST_F(Ns3Gateway, CarriesRealFramesBetweenNeighboursAndLosesThoseOutOfRange) {
  const auto netsim = ns3(kWifi);
  const RunningGateway gateway({.yaml = yaml(), .robots = {"red", "blue", "far"}});
  windows_running(gateway, 5);
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 100, .frame_bytes = 1000}), 100), IsEmpty()) << netsim->output();
  const GatewayStatus end = gateway.status();
  EXPECT_TRUE(end.balanced);
  EXPECT_EQ(end.verdicts("offered"), 100U);
  EXPECT_EQ(end.verdicts("forgotten"), 100U);
  NumberedTraffic to_far(gateway, {2});
  EXPECT_THAT(to_far.to_one({.frames = 4, .to = robot_mac(2)}), IsEmpty());
  EXPECT_EQ(gateway.status().dropped("unreachable"), 4U);
  EXPECT_EQ(gateway.robot(0).run("ping -c 3 -W 20 " + NetLab::ipv4(1)).status, 0);
}

TEST_F(Ns3Gateway, ContinuesAfterNs3EndsASimulation) {
  // A rate of another band, at which ns-3 cannot answer an RTS.
  const auto netsim =
      ns3("network: {type: wifi, rate_control: {type: constant, settings: {DataMode: HtMcs3, ControlMode: "
          "OfdmRate6Mbps}}}\n"
          "attributes: {\"ns3::WifiRemoteStationManager::RtsCtsThreshold\": 100}\n");
  const RunningGateway gateway({.yaml = "window: 5ms\nnetsim: {type: native, address: '" + sockets_.netsim() +
                                        "', patience: 0s, expiry: 100ms}\n",
                                .robots = {"red", "blue", "far"}});
  windows_running(gateway, 5);
  const RawSocket red(gateway.robot(0), "eth0");
  red.send(ethernet({robot_mac(1)}, kTrafficEthertype, Bytes(500)));
  EXPECT_EQ(netsim->wait(30s), 1) << netsim->output();
  EXPECT_THAT(netsim->output(), HasSubstr("ns-3 stopped the simulation"));
  const GatewayStatus end =
      gateway.status_when([](const GatewayStatus& now) { return now.dropped("verdict_missing") > 0; });
  EXPECT_EQ(end.dropped("verdict_missing"), 1U);
  EXPECT_THAT(gateway.output(), HasSubstr("netsim"));
}

}  // namespace
}  // namespace hilgate::test
