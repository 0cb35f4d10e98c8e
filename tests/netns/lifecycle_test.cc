// SPDX-License-Identifier: Apache-2.0
// How the gateway starts, refuses to start, and ends; what it leaves behind: nothing.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "gateway/configuration/configuration.h"
#include "host/unix_socket.h"
#include "tests/loop.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Lifecycle = GatewayTest;

constexpr auto kWire = "netsim: {type: wire}\n";
constexpr auto kOpen = ", fail: none";  // nothing is to stay

bool has_program(const NetLab& lab, std::size_t port) {
  return lab.gateway().run_ok("ip -d link show dev " + lab.port(port)).find("xdp") != std::string::npos;
}

// As who connects to its control socket sees it; the gateway's parent may be `ip netns exec`.
pid_t hilgate_pid(const RunningGateway& gateway) {
  return socket_listener(control_socket(gateway.run()).string()).value().process;
}

// A queue takes one socket at a time: where the next run comes up, none of the last is left.
void expect_nothing_left(const RunningGateway& gateway) {
  EXPECT_FALSE(has_program(gateway.lab(), 0));
  EXPECT_FALSE(has_program(gateway.lab(), 1));
  const auto next = gateway.lab().gateway().start({hilgate_program(), "run", gateway.file()});
  EXPECT_TRUE(next->wait_for_output("running", 20s)) << next->output();
  next->signal(SIGTERM);
  EXPECT_EQ(next->wait(10s), 0) << next->output();
}

TEST_F(Lifecycle, SigtermEndsItWellAndRemovesItsSocket) {
  RunningGateway gateway({.port = kOpen});
  EXPECT_TRUE(has_program(gateway.lab(), 0));
  EXPECT_TRUE(std::filesystem::exists(control_socket(gateway.run())));
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(10s), 0) << gateway.process().output();
  EXPECT_THAT(gateway.process().output(), HasSubstr("stopped: in 0 = out 0 + dropped 0 + held 0"));
  EXPECT_FALSE(std::filesystem::exists(control_socket(gateway.run())));
  expect_nothing_left(gateway);
}

TEST_F(Lifecycle, AReadyFileIsThereFromWhenItRunsUntilItEnds) {
  const TempDir folder;
  const std::string file = folder.file("ready");
  std::ofstream(file) << "of an earlier run";
  RunningGateway gateway({.under = {"sh", "-c", "exec \"$@\" --ready-file " + file, "sh"}});
  std::string text;
  std::ifstream ready(file);
  std::getline(ready, text);
  EXPECT_EQ(text, std::to_string(hilgate_pid(gateway)));
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(10s), 0) << gateway.process().output();
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(Lifecycle, SigintEndsItWell) {
  RunningGateway gateway;
  gateway.process().signal(SIGINT);
  EXPECT_EQ(gateway.process().wait(10s), 0) << gateway.process().output();
}

TEST_F(Lifecycle, AfterSigkillNoProgramAndNoSocketIsLeftAndTheRunStartsAgain) {
  RunningGateway gateway({.port = kOpen});
  gateway.process().signal(SIGKILL);
  EXPECT_EQ(gateway.process().wait(10s), 128 + SIGKILL);
  expect_nothing_left(gateway);
}

TEST_F(Lifecycle, FramesHeldAtTheEndAreDroppedAsShutdown) {
  RunningGateway gateway({.yaml = "netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 1h}]\n"});
  const UdpSocket red(gateway.robot(0), "0.0.0.0", 7000);
  gateway.robot(0).run_ok("ip neigh replace " + NetLab::ipv4(1) + " lladdr " + NetLab::mac(1) + " dev eth0");
  red.send(NetLab::ipv4(1), 7000, {1, 2, 3});
  gateway.status_when([](const GatewayStatus& now) { return now.totals("held") == 1; });
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(10s), 0);
  EXPECT_THAT(gateway.process().output(), HasSubstr("stopped: in 1 = out 0 + dropped 1 + held 0"));
}

TEST_F(Lifecycle, SecondRunOfANameIsRefusedAndTheFirstContinues) {
  const RunningGateway gateway;
  const Finished second = gateway.lab().gateway().run(hilgate_program() + " run " + gateway.file());
  EXPECT_EQ(second.status, 2);
  EXPECT_THAT(second.output, HasSubstr(fmt::format("name: a run '{}' is already running: process {} (hilgate) of user "
                                                   "root",
                                                   gateway.run(), hilgate_pid(gateway))));
  EXPECT_TRUE(has_program(gateway.lab(), 0));
  EXPECT_TRUE(gateway.status().balanced);
}

TEST_F(Lifecycle, SecondRunOfAPortIsRefusedWithTheOwnersName) {
  RunningGateway gateway;
  const RunFolder other;
  const std::string file = other.write(ports_and_robots({"red", "blue"}) + kWire);
  const Finished second = gateway.lab().gateway().run(hilgate_program() + " run " + file);
  EXPECT_EQ(second.status, 2);
  for (const char* robot : {"red", "blue"}) {
    EXPECT_THAT(second.output,
                HasSubstr(fmt::format("ports.{0}.interface: 'hg-{0}' is the port '{0}' of the run '{1}', process {2} "
                                      "(hilgate) of user root",
                                      robot, gateway.run(), hilgate_pid(gateway))));
  }
  EXPECT_TRUE(has_program(gateway.lab(), 0));
  gateway.robot(0).run_ok("ping -c 1 -W 5 " + NetLab::ipv4(1));
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(10s), 0);
  const auto next = gateway.lab().gateway().start({hilgate_program(), "run", file});
  EXPECT_TRUE(next->wait_for_output("running", 20s)) << next->output();
}

// ---- refusals ----

class Refusals : public Lifecycle {
 protected:
  Finished run_here(const std::string& before = {}) {
    return lab().gateway().run(before + hilgate_program() + " run " + folder_.write(ports_and_robots(kRobots) + kWire));
  }
  const NetLab& lab() {
    if (!lab_) {
      lab_ = std::make_unique<NetLab>("e2e", kRobots);
    }
    return *lab_;
  }

  const std::vector<std::string> kRobots = {"red", "blue"};
  RunFolder folder_;

 private:
  std::unique_ptr<NetLab> lab_;
};

TEST_F(Refusals, NoRights) {
  const Finished refused = run_here("setpriv --bounding-set=-all --inh-caps=-all ");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("CAP_NET_RAW"), HasSubstr("CAP_NET_ADMIN"), HasSubstr("CAP_BPF"),
                                    HasSubstr("run as root"), HasSubstr("setcap")));
}

TEST_F(Refusals, OneMissingRightIsNamedAlone) {
  const Finished refused = run_here("setpriv --bounding-set=-net_raw --inh-caps=-net_raw ");
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, AllOf(HasSubstr("needs CAP_NET_RAW:"), Not(HasSubstr("needs CAP_NET_ADMIN"))));
}

TEST_F(Refusals, StatusOfARunThatIsNot) {
  const Finished refused = test::run({hilgate_program(), "status", folder_.run()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_THAT(refused.output, HasSubstr("no gateway of this name is running"));
}

// ---- robots as `hilgate lab` makes them ----

class LabUp {
 public:
  explicit LabUp(std::string file) : file_(std::move(file)) { run_ok({hilgate_program(), "lab", "up", file_}); }
  ~LabUp() { test::run({hilgate_program(), "lab", "down", file_}); }
  LabUp(const LabUp&) = delete;
  LabUp& operator=(const LabUp&) = delete;
  [[nodiscard]] Finished exec(const std::string& robot, const std::string& command) const {
    return test::run({hilgate_program(), "lab", "exec", file_, robot, "--", "sh", "-c", command});
  }

 private:
  std::string file_;
};

TEST_F(Lifecycle, RobotsOfALabReachEachOther) {
  const RunFolder folder;
  // The interfaces are in the machine's own namespace: names of this process alone.
  const std::string unique = fmt::format("{}", ::getpid());
  const std::string file = folder.write(
      fmt::format("ports: {{r: {{interface: hgr{0}}}, b: {{interface: hgb{0}}}}}\n"
                  "robots:\n  red: {{port: r, mac: \"02:68:67:01:00:01\", ip: [10.79.0.1, \"fd79::1\"]}}\n"
                  "  blue: {{port: b, mac: \"02:68:67:01:00:02\", ip: [10.79.0.2, \"fd79::2\"]}}\n"
                  "netsim: {{type: wire}}\nlinks: [{{from: red, to: blue, delay: 20ms}}]\nlab: {{mtu: 1500 B}}\n",
                  unique));
  const LabUp lab(file);
  Process gateway({hilgate_program(), "run", file});
  ASSERT_TRUE(gateway.wait_for_output("running", 20s)) << gateway.output();
  const Finished ping = lab.exec("red", "ping -c 3 -i 0.2 -W 5 10.79.0.2 && ping -c 3 -i 0.2 -W 5 fd79::2");
  EXPECT_EQ(ping.status, 0) << ping.output;
  EXPECT_THAT(lab.exec("red", "ethtool -k eth0").output, HasSubstr("tx-checksumming: off"));
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.wait(10s), 0);
}

}  // namespace
}  // namespace hilgate::test
