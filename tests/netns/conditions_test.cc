// SPDX-License-Identifier: Apache-2.0
// What makes the results of a run doubtful is said: in a line of `status`, once in the log, and by `check` where it can
// be known before (docs/reference/conditions.md). Conditions that need neither the kernel nor another process are in
// tests/gateway/daemon/run_conditions_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "host/unix_socket.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/netns/simulator_rig.h"
#include "tests/support/packets.h"
#include "tests/support/raw_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kRadio =
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [30m, 0m, "
    "2m]}]}}\nnetsim: {type: embedded}\n";

/// A gateway, asked for its conditions.
class Doubtful {
 public:
  explicit Doubtful(const GatewaySetup& setup) : gateway_(setup) {}

  [[nodiscard]] RunningGateway& gateway() { return gateway_; }
  [[nodiscard]] ordered_json status() const {
    return control_request(control_socket(gateway_.run()), {{"command", "status"}});
  }
  [[nodiscard]] std::string text() const { return run_ok({hilgate_program(), "status", gateway_.run()}); }
  /// The condition's text; empty when it does not stand.
  [[nodiscard]] std::string standing(const std::string& name, const std::string& about = {}) const {
    const auto now = status();
    for (const auto& condition : now.at("conditions")) {
      if (condition.at("name") == name && condition.at("about") == about) {
        return condition.at("text");
      }
    }
    return {};
  }
  /// Waits until it stands, or does not, and returns its text when it did last.
  std::string await(const std::string& name, const std::string& about = {}, bool stands = true) const {
    std::string text;
    const auto now = status_when(
        gateway_.run(),
        [&](const ordered_json&) {
          text = standing(name, about);
          return text.empty() != stands;
        },
        30s);
    EXPECT_NE(text.empty(), stands) << name << " about '" << about << "': " << now.at("conditions").dump(1);
    return text;
  }
  /// Lines of the log with this text.
  [[nodiscard]] std::size_t said(const std::string& text) const {
    const std::string log = gateway_.output();
    std::size_t count = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
      ++count;
    }
    return count;
  }
  [[nodiscard]] Finished command(const std::vector<std::string>& words) const {
    std::vector<std::string> argv = {hilgate_program()};
    argv.insert(argv.end(), words.begin(), words.end());
    return test::run(argv);
  }

 private:
  RunningGateway gateway_;
};

std::string checked(const std::string& file) {
  return test::run({hilgate_program(), "check", file}).output;
}

class ConditionsTest : public GatewayTest {};

/// The process that starts the page's process again, a child of the gateway.
std::string keeper_of(const RunningGateway& gateway) {
  const std::string children =
      run_ok({"pgrep", "-P", std::to_string(socket_listener(control_socket(gateway.run()).string()).value().process)});
  return children.substr(0, children.find('\n'));
}

pid_t page_of(const RunningGateway& gateway) {
  return std::stoi(run_ok({"pgrep", "-P", keeper_of(gateway)}));
}

TEST_F(ConditionsTest, APageThatDoesNotWork) {
  Doubtful run({.yaml = "netsim: {type: wire}\nweb: {listen: '127.0.0.1:0'}\n"});
  EXPECT_EQ(run.standing("output_stopped", "web"), "");
  kill(page_of(run.gateway()), SIGKILL);
  EXPECT_THAT(run.await("output_stopped", "web"), HasSubstr("web: the process of the page has ended"));
  run.await("output_stopped", "web", false);
  kill(page_of(run.gateway()), SIGSTOP);
  EXPECT_THAT(run.await("output_stopped", "web"), HasSubstr("is halted by signal"));
  run.gateway().process().signal(SIGTERM);
  EXPECT_EQ(run.gateway().process().wait(30s), 1) << run.gateway().output();
  EXPECT_THAT(run.gateway().output(), HasSubstr(run.gateway().file() + ": web: the process of the page"));
}

TEST_F(ConditionsTest, APageThatWorksUntilASignalToAllIsNoFailure) {
  Doubtful run({.yaml = "netsim: {type: wire}\nweb: {listen: '127.0.0.1:0'}\n"});
  EXPECT_EQ(run.standing("output_stopped", "web"), "");
  kill(std::stoi(keeper_of(run.gateway())), SIGINT);  // as the terminal does with all of a group
  run.gateway().process().signal(SIGINT);
  EXPECT_EQ(run.gateway().process().wait(30s), 0) << run.gateway().output();
}

// One that answers each window, and says nothing of broadcasts.
TEST_F(ConditionsTest, ANetsimThatJudgesNothing) {
  const SimulatorSockets sockets;
  const Process netsim({"/usr/bin/python3", HILGATE_IPV4_SIMULATOR, sockets.netsim().substr(5)});
  Doubtful run({.yaml = fmt::format("window: 5ms\nnetsim: {{type: rosnetsim, address: '{}', "
                                    "address_resolution: judged}}\n",
                                    sockets.netsim())});
  windows_running(run.gateway());
  EXPECT_EQ(run.standing("verdicts_missing", "netsim"), "");
  run.gateway().robot(0).run_ok("ip neigh flush all");
  EXPECT_NE(run.gateway().robot(0).run("ping -c 4 -i 0.5 -W 1 " + NetLab::ipv4(1)).status, 0);
  EXPECT_THAT(netsim.output(), HasSubstr("offered a broadcast"));
  const std::string text = run.await("verdicts_missing", "netsim");
  EXPECT_THAT(text,
              AllOf(HasSubstr("netsim: says nothing of 100 % of the packets of the last "),
                    HasSubstr("dropped as verdict_missing"), HasSubstr("from red to all: does it have these robots?")));
  EXPECT_THAT(run.text(), HasSubstr("! netsim: says nothing of "));
  EXPECT_EQ(run.said("[warning] netsim: says nothing of "), 1u) << run.gateway().output();
}

class PhysicsOfTooFew : public ConditionsTest, public testing::WithParamInterface<const char*> {};

TEST_P(PhysicsOfTooFew, NamesTheRobotsThatItDoesNotKnow) {
  const SimulatorSockets sockets;
  const auto physics = sockets.start("physics", GetParam(), 1, {"--window", "5ms"});
  Doubtful run({.yaml = fmt::format("window: 5ms\nphysics: {{type: {}, address: '{}'}}\nnetsim: {{type: wire}}\n",
                                    GetParam(), sockets.physics())});
  EXPECT_EQ(run.await("position_missing", "physics"), "physics: does not say where blue is: taken to be at 0, 0, 0");
  EXPECT_EQ(run.said("does not say where blue is"), 1u) << run.gateway().output();
}

INSTANTIATE_TEST_SUITE_P(Protocols, PhysicsOfTooFew, testing::Values("native", "rosnetsim", "dancers"));

// A host that gives the gateway no processor time, as far as one can see from within.
TEST_F(ConditionsTest, AStarvedGateway) {
  Doubtful run({.yaml = kRadio});
  const pid_t pid = socket_listener(control_socket(run.gateway().run()).string()).value().process;
  // How the host starves it is what this test gives the gateway: 500 ms without the processor, 100 ms with it.
  constexpr auto kWithout = 500ms;
  constexpr auto kWith = 100ms;
  auto next = std::chrono::steady_clock::now();
  for (int i = 0; i < 4; ++i) {
    ::kill(pid, SIGSTOP);
    std::this_thread::sleep_until(next += kWithout);
    ::kill(pid, SIGCONT);
    std::this_thread::sleep_until(next += kWith);
  }
  EXPECT_THAT(run.await("loop_stalled", "0"),
              AllOf(HasSubstr("packet loop: stood still for "), HasSubstr("host is too busy")));
  EXPECT_THAT(run.await("windows_missed"), AllOf(HasSubstr(" % of the last "), HasSubstr("too busy")));
  EXPECT_THAT(run.text(), AllOf(HasSubstr("! packet loop: stood still"), HasSubstr("! windows: ")));
  EXPECT_EQ(run.said("[warning] packet loop: stood still"), 1u);
}

TEST_F(ConditionsTest, APortThatIsGone) {
  Doubtful run({.yaml = "netsim: {type: wire}\n"});
  run.gateway().lab().gateway().run_ok("ip link delete hg-blue");
  EXPECT_THAT(run.await("port_unplugged", "blue"), HasSubstr("port blue: hg-blue is absent, its robots are unplugged"));
  EXPECT_THAT(run.text(), HasSubstr("! port blue: hg-blue is absent"));
  EXPECT_EQ(run.said("hg-blue is not usable"), 1u);
}

TEST_F(ConditionsTest, FramesLostBeforeThePath) {
  Doubtful run({.yaml = "netsim: {type: wire}\n", .port = ", fail: none"});
  const pid_t pid = socket_listener(control_socket(run.gateway().run()).string()).value().process;
  run.gateway().mute();
  const RawSocket red(run.gateway().robot(0), "eth0");
  ::kill(pid, SIGSTOP);
  constexpr std::uint64_t kFrames = 6000;
  for (std::uint64_t i = 0; i < kFrames; ++i) {
    red.send(ethernet({robot_mac(1)}, 0x9999, Bytes(46)));
  }
  ::kill(pid, SIGCONT);
  EXPECT_THAT(run.await("port_loses", "red"), HasSubstr("port red: loses frames beside the packet path; "));
  EXPECT_EQ(run.said("[warning] port red: loses frames beside the packet path; "), 1u);
  const auto totals = run.status().at("totals");
  const auto lost = totals.at("lost_at_capture").get<std::uint64_t>();
  EXPECT_GT(lost, kFrames / 2);
  EXPECT_EQ(lost + totals.at("frames_captured").get<std::uint64_t>(), kFrames) << "each frame is in one account";
  EXPECT_THAT(run.text(), HasSubstr(fmt::format("lost beside the path: {} frames at capture, 0 at sending", lost)));
  run.gateway().process().signal(SIGTERM);
  EXPECT_EQ(run.gateway().process().wait(10s), 0);
  EXPECT_EQ(run.said(fmt::format("lost beside the path: {} frames at capture", lost)), 1u) << run.gateway().output();
}

TEST_F(ConditionsTest, PacketsThatTheRadioDoesNotCarry) {
  const RunFolder folder;
  const auto file = [&folder](int mtu) {
    return folder.write(
        fmt::format("ports: {{r: {{interface: hgr}}, b: {{interface: hgb}}}}\nrobots:\n"
                    "  red: {{port: r, mac: \"02:68:67:01:00:01\", radio: wifi_11n_2g4_adhoc}}\n"
                    "  blue: {{port: b, mac: \"02:68:67:01:00:02\", radio: wifi_11n_2g4_adhoc}}\nlab: {{mtu: {} B}}\n"
                    "physics: {{type: trajectory, tracks: {{red: [{{at: 0s, position: [0m, 0m, 2m]}}], blue: [{{at: "
                    "0s, position: [30m, 0m, 2m]}}]}}}}\nnetsim: {{type: embedded}}\n",
                    mtu));
  };
  EXPECT_THAT(checked(file(9000)),
              AllOf(HasSubstr("gateway.yaml:4: robot red: its interface takes packets of up to 9000 B, "
                              "its radio 2296 B"),
                    HasSubstr("set lab.mtu to 2296 B")));
  EXPECT_THAT(checked(file(1500)), Not(HasSubstr("warning")));
  const Doubtful run({.yaml = kRadio, .veth = {.mtu = 4000}});
  const std::string text = run.await("mtu_too_large", "red");
  EXPECT_THAT(text, HasSubstr("takes packets of up to 4000 B"));
  EXPECT_THAT(run.text(), HasSubstr("! " + text));
  EXPECT_EQ(run.said(text), 1u);
}

// Lines in faults are those that the user has written, also after a change.
TEST_F(ConditionsTest, GetHasValuesAsTheyWereSetAndFaultsOfSetNameTheUsersLine) {
  Doubtful run({.yaml = "# one\n# two\nnetsim: {type: wire}\nlinks:\n  - {from: red, to: blue, delay: 5ms}\n"});
  const std::string& name = run.gateway().run();
  run_ok({hilgate_program(), "set", "--run", name, "links.red.blue.loss=3 %", "window=2ms"});
  EXPECT_EQ(run.command({"get", "--run", name, "window"}).output, "2ms\n");
  EXPECT_EQ(run.command({"get", "--run", name, "links.red.blue.delay", "links.red.blue.loss"}).output, "5ms\n3 %\n");
  EXPECT_THAT(run.command({"get", "--run", name}).output, HasSubstr("window: 2ms"));
  const Finished absent = run.command({"get", "--run", name, "links.blue.red.delay"});
  EXPECT_EQ(absent.status, 1);
  EXPECT_THAT(absent.output, HasSubstr("'links.blue.red.delay' is not set"));
  const Finished in_file = run.command({"set", "--run", name, "robots.red.port=none"});
  EXPECT_EQ(in_file.status, 2);
  EXPECT_THAT(in_file.output, HasSubstr("gateway.yaml:6: robots.red.port: "));
  const Finished added = run.command({"set", "--run", name, "links.red.blue.dely=1ms"});
  EXPECT_EQ(added.status, 2);
  EXPECT_THAT(added.output, HasSubstr("unknown key 'dely'"));
  const Finished no_assignment = run.command({"set", "--run", name, "window"});
  EXPECT_EQ(no_assignment.status, 2);
  EXPECT_THAT(no_assignment.output, HasSubstr("'window': is not of the form KEY=VALUE"));
  EXPECT_EQ(run.command({"reload", name}).status, 0);
  EXPECT_EQ(run.command({"get", "--run", name, "links.red.blue.loss"}).status, 1);
}

TEST_F(ConditionsTest, ALabThatIsTakenDownUnderARun) {
  const RunFolder folder;
  const std::string unique = fmt::format("{}", ::getpid());
  const std::string file =
      folder.write(fmt::format("ports: {{r: {{interface: hgr{0}}}, b: {{interface: hgb{0}}}}}\n"
                               "robots:\n  red: {{port: r, mac: \"02:68:67:01:00:01\", ip: 10.79.0.1}}\n"
                               "  blue: {{port: b, mac: \"02:68:67:01:00:02\", ip: 10.79.0.2}}\n"
                               "netsim: {{type: wire}}\nlab: {{mtu: 1500 B}}\n",
                               unique));
  run_ok({hilgate_program(), "lab", "up", file});
  Process gateway({hilgate_program(), "run", file});
  ASSERT_TRUE(gateway.wait_for_output("running", 20s)) << gateway.output();
  run_ok({hilgate_program(), "lab", "down", file});
  ASSERT_TRUE(gateway.wait_for_output("port b: hgb" + unique + " is not usable", 20s)) << gateway.output();
  EXPECT_THAT(run_ok({hilgate_program(), "status", folder.run()}), HasSubstr("`hilgate lab up` creates it"));
  run_ok({hilgate_program(), "lab", "up", file});
  const Finished ping = test::run(
      {hilgate_program(), "lab", "exec", file, "red", "--", "ping", "-c", "5", "-i", "0.3", "-w", "20", "10.79.0.2"});
  EXPECT_EQ(ping.status, 0) << ping.output << gateway.output();
  gateway.signal(SIGTERM);
  EXPECT_EQ(gateway.wait(10s), 0);
  run_ok({hilgate_program(), "lab", "down", file});
}

}  // namespace
}  // namespace hilgate::test
