// SPDX-License-Identifier: Apache-2.0
// `hilgate set` and `hilgate reload` on the real gateway, while traffic runs.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/numbered_traffic.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

using ChangeTest = GatewayTest;

nlohmann::ordered_json ask(const RunningGateway& gateway, const nlohmann::json& request) {
  return control_request(control_socket(gateway.run()), request);
}
void set(const RunningGateway& gateway, const std::vector<std::string>& values) {
  ask(gateway, {{"command", "set"}, {"values", values}});
}
// What the gateway has against a change; empty when it took it.
std::string refusal(const RunningGateway& gateway, const std::vector<std::string>& values) {
  try {
    set(gateway, values);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}
std::uint64_t changes(const RunningGateway& gateway) {
  return ask(gateway, {{"command", "status"}})["totals"]["changes"].get<std::uint64_t>();
}
bool in_order(const std::vector<Arrival>& arrivals) {
  return std::is_sorted(arrivals.begin(), arrivals.end(),
                        [](const Arrival& a, const Arrival& b) { return a.sequence < b.sequence; });
}

// Changes one after the other, as fast as they go, until told to stop.
class Changer {
 public:
  Changer(const RunningGateway& gateway, std::function<std::vector<std::string>(std::uint64_t)> values)
      : thread_([&gateway, this, values = std::move(values)](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            set(gateway, values(done_));
            ++done_;
          }
        }) {}
  /// How many there were.
  std::uint64_t stop() {
    thread_.request_stop();
    thread_.join();
    return done_;
  }

 private:
  std::atomic<std::uint64_t> done_ = 0;
  std::jthread thread_;
};

TEST_F(ChangeTest, OfRadiosUnderLoadLoseNothing) {
  const RunningGateway gateway(
      {.yaml =
           "netsim: {type: embedded}\nphysics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], "
           "blue: [{at: 0s, position: [5m, 0m, 1m]}]}}\n"});
  NumberedTraffic traffic(gateway);
  Changer changer(gateway, [](std::uint64_t i) -> std::vector<std::string> {
    const char* radio = i % 2 == 0 ? "wifi_11ag" : "wifi_11n_2g4_adhoc";
    return {fmt::format("robots.red.radio={}", radio), fmt::format("robots.blue.radio={}", radio)};
  });
  for (int round = 0; round < 5; ++round) {
    constexpr std::size_t kFrames = 80;  // fit into a station's queue together, however slow the machine is
    const auto arrivals = traffic.to_one({.frames = kFrames, .interval = 1ms});
    EXPECT_THAT(lost(arrivals, kFrames), IsEmpty()) << ask(gateway, {{"command", "status"}})["totals"];
    EXPECT_TRUE(in_order(arrivals));
  }
  const std::uint64_t done = changer.stop();
  EXPECT_EQ(changes(gateway), done);
}

TEST_F(ChangeTest, RefusedReloadChangesNothing) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\n"});
  EXPECT_THAT(refusal(gateway, {"links.red.blue.delay=1ms", "links.red.blue.loss=200 %"}),
              HasSubstr("links.red.blue.loss: '200 %' is not a probability; allowed: 0 % to 100 %"));
  EXPECT_THAT(refusal(gateway, {"memory.frames=2048"}),
              HasSubstr("memory cannot change at run time; restart the gateway"));
  EXPECT_THAT(refusal(gateway, {"links.red.grene.loss=1 %"}), HasSubstr("'grene' is not a robot"));
  EXPECT_THAT(refusal(gateway, {"robots.red.radio"}), HasSubstr("is not of the form KEY=VALUE"));
  EXPECT_THAT(refusal(gateway, {"links.red.blue=1"}), HasSubstr("does not name a key of a link"));
  EXPECT_THAT(refusal(gateway, {"links.red.blue.delay=,5ms"}), HasSubstr("the value is not valid YAML: a ','"));
  EXPECT_EQ(changes(gateway), 0U);
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 200}), 200), IsEmpty());
}

TEST_F(ChangeTest, OfMoreAddressesThanTheKernelHasRoomForIsRefusedBeforeThePathChanges) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\n", .port = ", fail: wire"});
  const auto port = ask(gateway, {{"command", "status"}})["robots"][1]["port"].get<std::string>();
  std::string macs;
  for (unsigned mac = 0; mac < 300; ++mac) {
    macs += fmt::format("{}'02:77:00:00:{:02x}:{:02x}'", mac == 0 ? "" : ", ", mac / 256, mac % 256);
  }
  EXPECT_THAT(refusal(gateway, {fmt::format("robots.green={{port: {}, mac: [{}]}}", port, macs)}),
              HasSubstr("the table of the fail modes has room for"));
  EXPECT_EQ(changes(gateway), 0U);
  NumberedTraffic traffic(gateway);
  EXPECT_THAT(lost(traffic.to_one({.frames = 200}), 200), IsEmpty());
}

TEST_F(ChangeTest, ReloadReadsTheFilesThatTheConfigurationNames) {
  const RunFolder folder;
  const std::string tracks = std::filesystem::path(folder.write("")).parent_path() / "tracks.csv";
  const auto place = [&tracks](const char* x) {
    std::ofstream(tracks) << "t_s,robot,x_m,y_m,z_m\n0,red,0,0,1\n0,blue," << x << ",0,1\n";
  };
  place("5");
  const RunningGateway gateway(
      {.yaml = "netsim: {type: embedded}\nphysics: {type: trajectory, file: " + tracks + "}\n"});
  const auto blue_is_at = [](double x) {
    return [x](const GatewayStatus& status) { return status.positions.size() == 2 && status.positions[1][0] == x; };
  };
  EXPECT_TRUE(blue_is_at(5)(gateway.status_when(blue_is_at(5))));
  place("9");
  ask(gateway, {{"command", "reload"}});
  EXPECT_TRUE(blue_is_at(9)(gateway.status_when(blue_is_at(9))));
}

TEST_F(ChangeTest, ReloadUsesTheCurrentFile) {
  RunningGateway gateway({.yaml = "netsim: {type: wire}\n"});
  NumberedTraffic traffic(gateway);
  std::ofstream(gateway.file(), std::ios::app) << "links: [{from: red, to: blue, loss: 100 %}]\n";
  EXPECT_THAT(lost(traffic.to_one({.frames = 20}), 20), IsEmpty());
  ask(gateway, {{"command", "reload"}});
  EXPECT_EQ(lost(traffic.to_one({.frames = 20}), 20).size(), 20U);

  std::ofstream(gateway.file(), std::ios::app) << "nonsense: 1\n";
  EXPECT_THROW(ask(gateway, {{"command", "reload"}}), std::runtime_error);
  gateway.process().signal(SIGHUP);
  gateway.status_when(
      [&](const GatewayStatus&) { return gateway.output().find("reload refused") != std::string::npos; });
  EXPECT_THAT(gateway.output(), HasSubstr("reload refused, the configuration is unchanged"));
  EXPECT_EQ(changes(gateway), 1U);
}

// ---- a robot with two radios ----

// Red's radios are robots 0 and 1 of the lab, with a namespace each, and base is robot 2.
GatewaySetup two_radios() {
  const auto attached = [](const std::string& name, std::size_t n) {
    return fmt::format("{{port: p-{}, mac: \"{}\", ip: {}}}", name, NetLab::mac(n), NetLab::ipv4(n));
  };
  return {
      .yaml = "netsim: {type: wire}\n",
      .robots = {"wifi", "sik", "base"},
      .wiring = fmt::format("ports: {{p-wifi: {{interface: hg-wifi}}, p-sik: {{interface: hg-sik}}, p-base: "
                            "{{interface: hg-base}}}}\nrobots:\n  red: {{radios: {{wifi: {}, sik: {}}}}}\n  base: {}\n",
                            attached("wifi", 0), attached("sik", 1), attached("base", 2))};
}

TEST_F(ChangeTest, ARobotThatLosesOneRadioIsReachedByItsOther) {
  const RunningGateway gateway(two_radios());
  const std::string to_base = "ping -c 2 -i 0.1 -W 2 " + NetLab::ipv4(2);
  const NetNs& wifi = gateway.robot(0);
  const NetNs& sik = gateway.robot(1);
  EXPECT_THAT(wifi.run(to_base).output, HasSubstr(" 2 received"));
  EXPECT_THAT(sik.run(to_base).output, HasSubstr(" 2 received"));
  set(gateway, {"links.red.wifi.base.loss=100 %"});
  EXPECT_THAT(wifi.run(to_base).output, HasSubstr(" 0 received"));
  EXPECT_THAT(sik.run(to_base).output, HasSubstr(" 2 received"));
  const GatewayStatus status = gateway.settled(0);
  EXPECT_GT(status.link("red.wifi", "base").dropped("configured_loss"), 0U);
  EXPECT_EQ(status.link("red.sik", "base").dropped("configured_loss"), 0U);
  EXPECT_TRUE(status.balanced);
  set(gateway, {"links.red.base.loss=100 %"});
  EXPECT_THAT(sik.run(to_base).output, HasSubstr(" 0 received")) << "the robot's name stands for both of its radios";
  set(gateway, {"links.red.wifi.base.loss=", "links.red.base.loss="});
  EXPECT_THAT(wifi.run(to_base).output, HasSubstr(" 2 received"));
}

TEST_F(ChangeTest, RadiosOfOneRobotCarryNothingToEachOther) {
  const RunningGateway gateway(two_radios());
  gateway.mute();
  const std::uint64_t before = gateway.settled(0).dropped("no_receiver");
  RawSocket(gateway.robot(0), "eth0")
      .send(ethernet({.destination = robot_mac(1), .source = robot_mac(0), .tags = {}}, 0x88B5, counting(100)));
  const GatewayStatus status =
      gateway.status_when([&](const GatewayStatus& now) { return now.dropped("no_receiver") > before; });
  EXPECT_EQ(status.dropped("no_receiver"), before + 1);
  const auto report = ask(gateway, {{"command", "status"}});
  EXPECT_EQ(report["links"].size(), 4U) << "each radio and base, both ways";
  EXPECT_EQ(report["robots"][0]["name"], "red.wifi");
  EXPECT_EQ(report["robots"][0]["body"], "red");
  EXPECT_EQ(report["robots"][1]["body"], "red");
  EXPECT_FALSE(report["robots"][2].contains("body"));
}

TEST_F(ChangeTest, RadioOfARobotIsRemovedAndAddedAgain) {
  const RunningGateway gateway(two_radios());
  set(gateway, {"links.red.sik.base.delay=1ms", "robots.red.radios.sik="});
  EXPECT_EQ(ask(gateway, {{"command", "status"}})["robots"].size(), 2U);
  EXPECT_THAT(gateway.robot(0).run("ping -c 2 -i 0.1 -W 2 " + NetLab::ipv4(2)).output, HasSubstr(" 2 received"));
  EXPECT_THAT(refusal(gateway, {"robots.red.radios.wifi="}), HasSubstr("robots.red.radios: is empty"));
  ask(gateway, {{"command", "reload"}});
  EXPECT_EQ(ask(gateway, {{"command", "status"}})["robots"].size(), 3U);
}

}  // namespace
}  // namespace hilgate::test
