// SPDX-License-Identifier: Apache-2.0
// `hilgate set` and `hilgate reload` on a whole daemon, while frames pass.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <fstream>

#include "tests/gateway/daemon/running_daemon.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kWireRun = robots_text({"red", "blue"}) + "netsim: {type: wire}\n";

std::uint64_t changes_of(RunningDaemon& daemon) {
  return daemon.status().at("totals").at("changes").get<std::uint64_t>();
}
/// Whether a frame of the robot at this port reaches another robot within 10 ms.
bool frame_passes(RunningDaemon& daemon, unsigned from, unsigned to) {
  daemon.take_sent();
  const Bytes frame = udp_frame(from + 1, to + 1, 60);
  daemon.arrive(from, frame);
  daemon.pass(10ms);
  const auto sent = daemon.take_sent();
  return sent.size() == 1 && sent.front().port == to && sent.front().bytes == frame;
}

TEST(RunChange, OfRadiosUnderTrafficLosesNothingAndKeepsTheOrder) {
  RunningDaemon daemon(robots_text({"red", "blue"}, ", radio: wifi_11n_2g4_adhoc") +
                       "netsim: {type: embedded}\nphysics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, "
                       "0m, 1m]}], blue: [{at: 0s, position: [5m, 0m, 1m]}]}}\n");
  constexpr std::uint64_t kFrames = 60;
  std::uint64_t done = 0;
  std::vector<Bytes> arrived;
  for (std::uint64_t n = 0; n < kFrames; ++n) {
    arrived.push_back(udp_frame(1, 2, 60, n));
    daemon.arrive(0, arrived.back());
    if (n % 3 == 0) {
      const char* const radio = done++ % 2 == 0 ? "wifi_11ag" : "wifi_11n_2g4_adhoc";
      daemon.set({fmt::format("robots.red.radio={}", radio), fmt::format("robots.blue.radio={}", radio)});
    }
    daemon.pass(1ms);
  }
  daemon.pass(200ms);
  std::vector<Bytes> left;
  for (const RunningDaemon::Sent& sent : daemon.take_sent()) {
    left.push_back(sent.bytes);
  }
  EXPECT_TRUE(left == arrived) << left.size() << " " << daemon.status().at("totals");
  EXPECT_EQ(changes_of(daemon), done);
}

TEST(RunChange, RefusedValuesChangeNothing) {
  RunningDaemon daemon(kWireRun);
  EXPECT_THAT(daemon.refusal({"links.red.blue.delay=1ms", "links.red.blue.loss=200 %"}),
              HasSubstr("'200 %' is not a probability; allowed: 0 % to 100 %"));
  EXPECT_THAT(daemon.refusal({"memory.frames=4096"}),
              HasSubstr("memory cannot change at run time; restart the gateway"));
  EXPECT_THAT(daemon.refusal({"links.red.grene.loss=1 %"}), HasSubstr("'grene' is not a robot"));
  EXPECT_THAT(daemon.refusal({"robots.red.radio"}), HasSubstr("is not of the form KEY=VALUE"));
  EXPECT_THAT(daemon.refusal({"links.red.blue=1"}), HasSubstr("does not name a key of a link"));
  EXPECT_THAT(daemon.refusal({"links.red.blue.delay=,5ms"}), HasSubstr("the value is not valid YAML: a ','"));
  EXPECT_EQ(changes_of(daemon), 0U);
  EXPECT_TRUE(frame_passes(daemon, 0, 1));
}

TEST(RunChange, ReloadReadsTheFilesThatTheConfigurationNames) {
  const auto place = [](const RunningDaemon& daemon, const char* x) {
    std::ofstream(daemon.file("tracks.csv")) << "t_s,robot,x_m,y_m,z_m\n0,red,0,0,1\n0,blue," << x << ",0,1\n";
  };
  RunningDaemon daemon(robots_text({"red", "blue"}, ", radio: wifi_11ag") +
                       "netsim: {type: embedded}\nphysics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, "
                       "0m, 1m]}], blue: [{at: 0s, position: [1m, 0m, 1m]}]}}\n");
  const std::string from_file = robots_text({"red", "blue"}, ", radio: wifi_11ag") +
                                "netsim: {type: embedded}\nphysics: {type: trajectory, file: FOLDER/tracks.csv}\n";
  for (const char* const x : {"5", "9"}) {
    place(daemon, x);
    daemon.write(from_file);
    daemon.ask({{"command", "reload"}});
    const auto there = [x](const nlohmann::json& now) {
      return now.at("robots").at(1).value("position", nlohmann::json::array({0})).at(0) == std::stod(x);
    };
    EXPECT_TRUE(there(daemon.status_when(there))) << x;
  }
}

TEST(RunChange, ReloadTakesTheFileAsItIs) {
  RunningDaemon daemon(kWireRun);
  daemon.write(kWireRun + "links: [{from: red, to: blue, loss: 100 %}]\n");
  EXPECT_TRUE(frame_passes(daemon, 0, 1));
  daemon.ask({{"command", "reload"}});
  EXPECT_FALSE(frame_passes(daemon, 0, 1));
  EXPECT_EQ(daemon.status().at("totals").at("dropped").at("configured_loss"), 1);
  daemon.write(kWireRun + "nonsense: 1\n");
  EXPECT_THROW(daemon.ask({{"command", "reload"}}), std::runtime_error);
  EXPECT_EQ(changes_of(daemon), 1U);
}

TEST(RunChange, ValuesThatWereSetStandInStatusUntilAReload) {
  RunningDaemon daemon(kWireRun + "links: [{from: red, to: blue, delay: 5ms}]\n");
  daemon.set({"links.red.blue.loss=3 %", "window=2ms"});
  EXPECT_EQ(daemon.count_in_log("set: links.red.blue.loss=3 %"), 1U);
  EXPECT_THAT(daemon.status_text(),
              testing::AllOf(HasSubstr("set: links.red.blue.loss=3 %\n"), HasSubstr("set: window=2ms\n")));
  EXPECT_THAT(daemon.status().at("assignments"), ElementsAre("links.red.blue.loss=3 %", "window=2ms"));
  daemon.ask({{"command", "reload"}});
  EXPECT_EQ(daemon.count_in_log("2 values that were set are as in the file again"), 1U);
  EXPECT_THAT(daemon.status_text(), testing::Not(HasSubstr("set: ")));
}

TEST(RunChange, SimulationTimeCanBePausedWithPaceDilateOnly) {
  RunningDaemon wall(kWireRun);
  try {
    wall.ask({{"command", "pause"}});
    FAIL() << "real time does not stand";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("simulation time can be paused with pace dilate only"));
  }
}

// ---- a robot with two radios ----

// Red's radios have the ports 0 and 1 and the addresses of robots 1 and 2; base has port 2.
std::string two_radios() {
  const auto attached = [](const std::string& port, unsigned n) {
    return fmt::format("{{port: {}, mac: \"{}\", ip: {}}}", port, mac_of(n).text(), ipv4_of(n).text());
  };
  return fmt::format(
      "ports: {{w: {{interface: hgr-w}}, s: {{interface: hgr-s}}, b: {{interface: hgr-b}}}}\n"
      "robots:\n  red: {{radios: {{wifi: {}, sik: {}}}}}\n  base: {}\nnetsim: {{type: wire}}\n",
      attached("w", 1), attached("s", 2), attached("b", 3));
}
constexpr unsigned kWifi = 0;
constexpr unsigned kSik = 1;
constexpr unsigned kBase = 2;

TEST(RunChange, ARobotThatLosesOneRadioIsReachedByItsOther) {
  RunningDaemon daemon(two_radios());
  const auto both_ways = [&daemon](unsigned radio) {
    return frame_passes(daemon, radio, kBase) && frame_passes(daemon, kBase, radio);
  };
  EXPECT_TRUE(both_ways(kWifi));
  EXPECT_TRUE(both_ways(kSik));
  daemon.set({"links.red.wifi.base.loss=100 %"});
  EXPECT_FALSE(frame_passes(daemon, kWifi, kBase));
  EXPECT_TRUE(both_ways(kSik));
  const auto status = daemon.status();
  for (const auto& link : status.at("links")) {
    EXPECT_EQ(link.at("dropped").value("configured_loss", 0), link.at("from") == "red.wifi" ? 1 : 0) << link;
  }
  EXPECT_EQ(status.at("totals").at("balanced"), true);
  daemon.set({"links.red.base.loss=100 %"});
  EXPECT_FALSE(frame_passes(daemon, kSik, kBase)) << "the robot's name stands for both of its radios";
  daemon.set({"links.red.wifi.base.loss=", "links.red.base.loss="});
  EXPECT_TRUE(both_ways(kWifi));
}

TEST(RunChange, RadiosOfOneRobotCarryNothingToEachOther) {
  RunningDaemon daemon(two_radios());
  EXPECT_FALSE(frame_passes(daemon, kWifi, kSik));
  const auto status = daemon.status();
  EXPECT_EQ(status.at("totals").at("dropped").at("no_receiver"), 1);
  EXPECT_EQ(status.at("links").size(), 4U) << "each radio and base, both ways";
  EXPECT_EQ(status.at("robots").at(0).at("name"), "red.wifi");
  EXPECT_EQ(status.at("robots").at(0).at("body"), "red");
  EXPECT_EQ(status.at("robots").at(1).at("body"), "red");
  EXPECT_FALSE(status.at("robots").at(2).contains("body"));
}

TEST(RunChange, RadioOfARobotIsRemovedAndAddedAgain) {
  RunningDaemon daemon(two_radios());
  daemon.set({"links.red.sik.base.delay=1ms", "robots.red.radios.sik="});
  EXPECT_EQ(daemon.status().at("robots").size(), 2U);
  EXPECT_TRUE(frame_passes(daemon, kWifi, kBase));
  EXPECT_THAT(daemon.refusal({"robots.red.radios.wifi="}), HasSubstr("robots.red.radios: is empty"));
  daemon.ask({{"command", "reload"}});
  EXPECT_EQ(daemon.status().at("robots").size(), 3U);
  EXPECT_TRUE(frame_passes(daemon, kSik, kBase));
}

}  // namespace
}  // namespace hilgate::test
