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

TEST_F(Lifecycle, SigtermEndsItWellAndRemovesItsSocketAndItsReadyFile) {
  const TempDir folder;
  const std::string file = folder.file("ready");
  std::ofstream(file) << "of an earlier run";
  RunningGateway gateway({.port = kOpen, .under = {"sh", "-c", "exec \"$@\" --ready-file " + file, "sh"}});
  std::string text;
  std::ifstream ready(file);
  std::getline(ready, text);
  EXPECT_EQ(text, std::to_string(hilgate_pid(gateway)));
  EXPECT_TRUE(has_program(gateway.lab(), 0));
  EXPECT_TRUE(std::filesystem::exists(control_socket(gateway.run())));
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(10s), 0) << gateway.process().output();
  EXPECT_THAT(gateway.process().output(), HasSubstr("stopped: in 0 = out 0 + dropped 0 + held 0"));
  EXPECT_FALSE(std::filesystem::exists(control_socket(gateway.run())));
  EXPECT_FALSE(std::filesystem::exists(file));
  expect_nothing_left(gateway);
}

TEST_F(Lifecycle, AfterSigkillNoProgramAndNoSocketIsLeftAndTheRunStartsAgain) {
  RunningGateway gateway({.port = kOpen});
  gateway.process().signal(SIGKILL);
  EXPECT_EQ(gateway.process().wait(10s), 128 + SIGKILL);
  expect_nothing_left(gateway);
}

TEST_F(Lifecycle, SecondRunOfANameOrOfAPortIsRefusedWithTheOwnersName) {
  RunningGateway gateway;
  const Finished same_name = gateway.lab().gateway().run(hilgate_program() + " run " + gateway.file());
  EXPECT_EQ(same_name.status, 2);
  EXPECT_THAT(same_name.output,
              HasSubstr(fmt::format("name: a run '{}' is already running: process {} (hilgate) of user root",
                                    gateway.run(), hilgate_pid(gateway))));
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
  EXPECT_TRUE(gateway.status().balanced);
  gateway.process().signal(SIGTERM);
  EXPECT_EQ(gateway.process().wait(10s), 0);
  const auto next = gateway.lab().gateway().start({hilgate_program(), "run", file});
  EXPECT_TRUE(next->wait_for_output("running", 20s)) << next->output();
}

TEST_F(Lifecycle, WithoutRightsTheMissingOnesAreNamed) {
  const NetLab lab("e2e", {"red", "blue"});
  const RunFolder folder;
  const std::string file = folder.write(ports_and_robots({"red", "blue"}) + kWire);
  const auto run_without = [&](const std::string& rights) {
    return lab.gateway().run(
        fmt::format("setpriv --bounding-set=-{0} --inh-caps=-{0} {1} run {2}", rights, hilgate_program(), file));
  };
  const Finished none = run_without("all");
  EXPECT_EQ(none.status, 1);
  EXPECT_THAT(none.output, AllOf(HasSubstr("CAP_NET_RAW"), HasSubstr("CAP_NET_ADMIN"), HasSubstr("CAP_BPF"),
                                 HasSubstr("run as root"), HasSubstr("setcap")));
  const Finished one = run_without("net_raw");
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.output, AllOf(HasSubstr("needs CAP_NET_RAW:"), Not(HasSubstr("needs CAP_NET_ADMIN"))));
}

}  // namespace
}  // namespace hilgate::test
