// SPDX-License-Identifier: Apache-2.0
// What robots' networks do when a link is lost, with the programs that Debian ships: a kernel's MPTCP over two radios,
// two routers of keepalived with one virtual address, and a chain of four routers with babeld.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

using RedundancyTest = GatewayTest;

void set_links(const RunningGateway& gateway, const std::vector<std::string>& keys, const std::string& loss) {
  nlohmann::ordered_json values;
  for (const std::string& key : keys) {
    values.push_back(fmt::format("links.{}.loss={}", key, loss));
  }
  control_request(control_socket(gateway.run()), {{"command", "set"}, {"values", values}});
}

/// Repeats a shell command in a robot until its output contains `text`; the last output.
std::string output_when(const NetNs& robot, const std::string& command, const std::string& text) {
  Finished last;
  for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
    last = robot.run(command);
    if (last.output.find(text) != std::string::npos) {
      break;
    }
    std::this_thread::yield();
  }
  return last.output;
}

// ---- MPTCP ----

TEST_F(RedundancyTest, AnMptcpFlowUsesBothRadiosAndSurvivesTheLossOfEither) {
  const auto attached = [](const std::string& name, std::size_t n) {
    return fmt::format("{{port: p-{}, mac: \"{}\", ip: {}}}", name, NetLab::mac(n), NetLab::ipv4(n));
  };
  const RunningGateway gateway(
      {.yaml = "netsim: {type: wire}\nlinks:\n"
               "  - {from: red.wifi, to: base, rate: 20 Mbit/s, delay: 5ms}\n"
               "  - {from: base, to: red.wifi, rate: 20 Mbit/s, delay: 5ms}\n"
               "  - {from: red.lte, to: base, rate: 10 Mbit/s, delay: 20ms}\n"
               "  - {from: base, to: red.lte, rate: 10 Mbit/s, delay: 20ms}\n",
       .robots = {"wifi", "lte", "base"},
       .wiring =
           fmt::format("ports: {{p-wifi: {{interface: hg-wifi}}, p-lte: {{interface: hg-lte}}, p-base: "
                       "{{interface: hg-base}}}}\nrobots:\n  red: {{radios: {{wifi: {}, lte: {}}}}}\n  base: {}\n",
                       attached("wifi", 0), attached("lte", 1), attached("base", 2))});
  const NetNs& red = gateway.robot(0);  // gets the interface of its other radio
  const NetNs& base = gateway.robot(2);
  gateway.robot(1).run_ok(
      fmt::format("ip link set eth0 down && ip link set eth0 name eth1 && ip link set eth1 netns {}", red.name()));
  red.run_ok(fmt::format(
      "sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 net.ipv4.conf.all.rp_filter=0 && "
      "ip addr add {0}/24 dev eth1 && ip link set eth1 up && ip rule add from {0} table 2 && "
      "ip route add 10.77.0.0/24 dev eth1 src {0} table 2 && ip mptcp limits set subflow 2 && "
      "ip mptcp endpoint add {0} dev eth1 subflow",
      NetLab::ipv4(1)));
  base.run_ok("ip mptcp limits set subflow 2");

  const auto server = base.start({"mptcpize", "run", "iperf3", "-s", "-1", "--forceflush"});
  ASSERT_TRUE(server->wait_for_output("Server listening", 10s)) << server->output();
  const auto client = red.start({"mptcpize", "run", "iperf3", "--json", "-c", NetLab::ipv4(2), "-n", "24M"});
  // Waits until `radio` has carried 2 MB more.
  const auto carries = [&](const char* radio) {
    const auto bytes = [&](const GatewayStatus& now) { return now.link(radio, "base").counts("bytes_released"); };
    const std::uint64_t least = bytes(gateway.status()) + 2'000'000;
    return bytes(gateway.status_when([&](const GatewayStatus& now) { return bytes(now) > least; })) > least;
  };
  EXPECT_TRUE(carries("red.wifi"));
  EXPECT_TRUE(carries("red.lte"));
  set_links(gateway, {"red.wifi.base", "base.red.wifi"}, "100 %");
  EXPECT_TRUE(carries("red.lte"));
  set_links(gateway, {"red.wifi.base", "base.red.wifi"}, "");
  set_links(gateway, {"red.lte.base", "base.red.lte"}, "100 %");
  EXPECT_TRUE(carries("red.wifi"));
  EXPECT_EQ(client->wait(60s), 0) << client->output();
  EXPECT_GE(nlohmann::json::parse(client->output())["end"]["sum_received"]["bytes"], 20'000'000)
      << "what is still on its way at the end is not in it";
}

// ---- VRRP ----

TEST_F(RedundancyTest, TheVirtualAddressOfTwoRoutersMovesWithItsMaster) {
  const RunFolder folder;
  const RunningGateway gateway(  // addresses are learned
      {.yaml = "netsim: {type: wire}\n",
       .robots = {"red", "blue", "base"},
       .wiring = "ports: {red: {interface: hg-red}, blue: {interface: hg-blue}, base: {interface: hg-base}}\n"
                 "robots: {red: {port: red}, blue: {port: blue}, base: {port: base}}\n"});
  std::vector<std::unique_ptr<Process>> routers;
  for (const std::size_t n : {0, 1}) {
    gateway.robot(n).run_ok(
        "sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2 "
        "net.ipv4.conf.all.rp_filter=0 "
        "net.ipv4.conf.default.rp_filter=0 net.ipv4.conf.eth0.rp_filter=0");
    const std::string file = fmt::format("{}/keepalived-{}", folder.path().string(), n);
    std::ofstream(file) << "global_defs {\n vrrp_version 3\n}\n"
                        << "vrrp_instance v {\n state BACKUP\n interface eth0\n virtual_router_id 7\n priority "
                        << (n == 0 ? 200 : 100)
                        << "\n advert_int 0.1\n use_vmac vr7\n vmac_xmit_base\n garp_lower_prio_delay 1\n"
                           " virtual_ipaddress { 10.77.0.100/24 }\n}\n";
    routers.push_back(gateway.robot(n).start(
        {"keepalived", "-n", "-l", "-P", "-f", file, "-p", file + ".pid", "-r", file + ".vrrp.pid"}));
  }
  const NetNs& base = gateway.robot(2);
  const auto sent_to = [&](const char* robot) { return gateway.status().link("base", robot).counts("released"); };
  // Whether a ping of the address is answered, and has gone to this robot alone.
  const auto answers_at = [&](const char* holder, const char* other) {
    for (const auto end = std::chrono::steady_clock::now() + 30s; std::chrono::steady_clock::now() < end;) {
      const std::uint64_t before = sent_to(holder);
      const std::uint64_t of_other = sent_to(other);
      if (base.run("ping -c 1 -W 1 10.77.0.100").status == 0 && sent_to(holder) > before &&
          sent_to(other) == of_other) {
        return true;
      }
    }
    return false;
  };
  EXPECT_TRUE(answers_at("red", "blue")) << routers[0]->output();
  EXPECT_THAT(base.run("ip neigh show 10.77.0.100").output, HasSubstr("00:00:5e:00:01:07"));
  set_links(gateway, {"red.*", "*.red"}, "100 %");
  EXPECT_TRUE(answers_at("blue", "red")) << routers[1]->output();
  EXPECT_THAT(base.run("ip neigh show 10.77.0.100").output, HasSubstr("00:00:5e:00:01:07"));
  set_links(gateway, {"red.*", "*.red"}, "");
  EXPECT_TRUE(answers_at("red", "blue")) << routers[0]->output() << routers[1]->output();
}

// ---- babeld ----

TEST_F(RedundancyTest, RoutersOfBabelReachTheEndOfAChainOverSingleHops) {
  const RunFolder folder;
  const RunningGateway gateway(
      {.yaml = "netsim: {type: embedded}\nphysics: {type: trajectory, tracks: {"
               "a: [{at: 0s, position: [0m, 0m, 1.5m]}], b: [{at: 0s, position: [100m, 0m, 1.5m]}],"
               "c: [{at: 0s, position: [200m, 0m, 1.5m]}], d: [{at: 0s, position: [300m, 0m, 1.5m]}]}}\n",
       .robots = {"a", "b", "c", "d"},
       .robot = ", radio: wifi_11ag",
       .ipv6 = true});
  std::vector<std::unique_ptr<Process>> routers;
  for (std::size_t n = 0; n < 4; ++n) {
    const NetNs& robot = gateway.robot(n);
    robot.run_ok(fmt::format(
        "sysctl -qw net.ipv4.ip_forward=1 net.ipv4.conf.all.send_redirects=0 net.ipv4.conf.eth0.send_redirects=0 && "
        "ip link set lo up && ip addr add {0}/32 dev lo && ip route del 10.77.0.0/24 dev eth0 && "
        "ip addr add fe80::{1}/64 dev eth0",
        NetLab::ipv4(n), n + 1));
    const std::string file = fmt::format("{}/babeld-{}", folder.path().string(), n);
    routers.push_back(
        robot.start({"babeld", "-I", file + ".pid", "-S", file + ".state", "-C",
                     "redistribute local ip 10.77.0.0/24 ge 32 allow", "-C", "redistribute local deny", "-C",
                     "redistribute deny", "-C", "default type wireless hello-interval 0.5 update-interval 1", "eth0"}));
  }
  const std::string last = NetLab::ipv4(3);
  EXPECT_THAT(output_when(gateway.robot(0), "ip route get " + last, "via " + NetLab::ipv4(1)),
              HasSubstr("via " + NetLab::ipv4(1)))
      << routers[0]->output();
  // Two routers lie between: each took one from the 64 hops of the answer.
  EXPECT_THAT(output_when(gateway.robot(0), "ping -c 1 -W 1 " + last, "ttl=62"), HasSubstr("ttl=62"))
      << gateway.robot(0).run("ip route").output;
}

}  // namespace
}  // namespace hilgate::test
