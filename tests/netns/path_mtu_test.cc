// SPDX-License-Identifier: Apache-2.0
// Path MTU discovery by real kernels over radios that carry less than the robots' interfaces.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using PathMtuTest = GatewayTest;

// A profile that carries packets of up to `mtu` bytes and says so to senders of longer ones, in a folder of its own,
// which goes with it. It has the name of the one that RunningGateway gives to robots, and is found first.
class SmallRadio {
 public:
  explicit SmallRadio(unsigned mtu) : folder_(std::filesystem::path(runs_.write("")).parent_path() / "radios") {
    std::filesystem::create_directory(folder_);
    std::ifstream file(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11ag.yaml");
    std::stringstream text;
    text << file.rdbuf();
    std::string profile = std::regex_replace(text.str(), std::regex("id: wifi_11ag"), "id: wifi_11n_2g4_adhoc");
    profile = std::regex_replace(profile, std::regex("\nmtu: [^\n]*"),
                                 fmt::format("\nmtu: {} B\nadaptation: {{type: drop_icmp}}", mtu));
    std::ofstream(folder_ / "wifi_11n_2g4_adhoc.yaml") << profile;
  }
  [[nodiscard]] GatewaySetup setup() const {
    return {.yaml = fmt::format(
                "profiles: [{}]\nnetsim: {{type: embedded}}\nphysics:\n  type: trajectory\n  tracks:\n"
                "    red: [{{at: 0s, position: [0m, 0m, 5m]}}]\n    blue: [{{at: 0s, position: [5m, 0m, 5m]}}]\n",
                folder_.string()),
            .ipv6 = true};
  }

 private:
  RunFolder runs_;
  std::filesystem::path folder_;
};

// 200 kB from robot 0 to robot 1.
void expect_transfer(const RunningGateway& gateway, const std::string& to) {
  const auto server = gateway.robot(1).start({"iperf3", "-s", "-1", "--forceflush"});
  ASSERT_TRUE(server->wait_for_output("Server listening", 10s)) << server->output();
  const Finished client = gateway.robot(0).run("iperf3 -n 200K -c " + to);
  EXPECT_EQ(client.status, 0) << client.output;
}

TEST_F(PathMtuTest, TcpAndIpv4FindThe576BytesOfARadio) {
  const SmallRadio radio(576);
  const RunningGateway gateway(radio.setup());
  expect_transfer(gateway, NetLab::ipv4(1));  // TCP by itself
  EXPECT_GT(gateway.status().totals("injected"), 0U);
  const auto media = control_request(control_socket(gateway.run()), {{"command", "status"}})["media"];
  ASSERT_EQ(media.size(), 1U);
  EXPECT_EQ(media[0]["stations"], 2);
  EXPECT_EQ(media[0]["domain"], "wifi-5g-ch36") << media;
  EXPECT_GT(media[0]["busy_s"].get<double>(), 0.01) << "200 kB at 54 Mbit/s at most";
  EXPECT_GT(media[0]["utilisation"].get<double>(), 0);
  gateway.robot(0).run_ok("ip route flush cache");
  const Finished ping = gateway.robot(0).run("ping -M do -c 2 -i 0.2 -W 5 -s 1000 " + NetLab::ipv4(1));
  EXPECT_THAT(ping.output, HasSubstr("mtu=576")) << "from the gateway or, once it is known, the kernel itself";
  EXPECT_THAT(gateway.robot(0).run_ok("ip route get " + NetLab::ipv4(1)), HasSubstr("mtu 576"));
  expect_transfer(gateway, NetLab::ipv4(1));
  const GatewayStatus status = gateway.status();
  EXPECT_GT(status.dropped("too_long"), 0U);
  EXPECT_GT(status.totals("injected"), 0U);
  EXPECT_TRUE(status.balanced);
}

TEST_F(PathMtuTest, Ipv6FindsThe1300BytesOfARadio) {
  const SmallRadio radio(1300);
  const RunningGateway gateway(radio.setup());
  const Finished ping = gateway.robot(0).run("ping -6 -M do -c 2 -i 0.2 -W 5 -s 1400 " + NetLab::ipv6(1));
  EXPECT_THAT(ping.output, HasSubstr("mtu=1300"));
  EXPECT_THAT(gateway.robot(0).run_ok("ip -6 route get " + NetLab::ipv6(1)), HasSubstr("mtu 1300"));
  expect_transfer(gateway, NetLab::ipv6(1));
  EXPECT_TRUE(gateway.status().balanced);
}

}  // namespace
}  // namespace hilgate::test
