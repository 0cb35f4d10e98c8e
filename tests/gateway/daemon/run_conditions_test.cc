// SPDX-License-Identifier: Apache-2.0
// What makes the results of a run doubtful is a line of its status, and once in the log (docs/reference/conditions.md).
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>

#include "tests/gateway/daemon/running_daemon.h"
#include "tests/support/process.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRadioRun =
    robots_text({"red", "blue"}, ", radio: wifi_11n_2g4_adhoc") +
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [30m, 0m, "
    "2m]}]}}\nnetsim: {type: embedded}\n";

/// What `hilgate check` prints of the run's file.
std::string check_output(const RunningDaemon& daemon) {
  return run({HILGATE_BIN_DIR "/hilgate", "check", daemon.file("gateway.yaml")}).output;
}

TEST(RunConditions, AGoodRunHasNone) {
  RunningDaemon daemon(kRadioRun);
  for (std::uint64_t n = 0; n < 200; ++n) {
    daemon.arrive(n % 2, udp_frame(1 + n % 2, 2 - n % 2, 60, n));
    daemon.pass(10ms);
  }
  const auto status = daemon.status();
  EXPECT_THAT(status.at("conditions"), IsEmpty());
  EXPECT_THAT(status.at("assignments"), IsEmpty());
}

TEST(RunConditions, ASimulatorThatHasNotCome) {
  RunningDaemon daemon(robots_text({"red", "blue"}) + "netsim: {type: native, address: 'unix:FOLDER/netsim'}\n");
  const std::string address = "unix:" + daemon.file("netsim");
  EXPECT_THAT(daemon.await_condition("simulator_missing"),
              AllOf(HasSubstr("the simulation has not begun"), HasSubstr(address)));
  EXPECT_THAT(daemon.status_text(), HasSubstr("! the simulation has not begun: netsim: "));
  EXPECT_GE(daemon.count_in_log("netsim: listening on " + address), 1U) << daemon.log();
}

TEST(RunConditions, RobotsWithoutPositions) {
  RunningDaemon daemon(robots_text({"red", "blue"}, ", radio: wifi_11n_2g4_adhoc") +
                       "physics: {type: cornet, clock: FOLDER/clock, positions: FOLDER/positions}\n"
                       "netsim: {type: embedded}\n");
  EXPECT_EQ(daemon.await_condition("position_missing", "physics"),
            "physics: no position received of red, blue: taken to be at 0, 0, 0");
  EXPECT_EQ(daemon.count_in_log("no position received of red, blue"), 1U);
  const LineSender sender(daemon.file("positions"));
  sender.send(R"({"name": "red", "x": 1, "y": 2, "z": 3})");
  daemon.pass(1s);
  EXPECT_THAT(daemon.condition("position_missing", "physics"), HasSubstr("received of blue:"));
  EXPECT_THAT(daemon.await_condition("position_stale", "physics"),
              AllOf(HasSubstr("physics: no position for "), HasSubstr("of red: held")));
  EXPECT_THAT(daemon.status_text(),
              AllOf(HasSubstr("! physics: no position received of blue"), HasSubstr("! physics: no position for ")));
  EXPECT_EQ(daemon.count_in_log("[warning] physics: no position for "), 1U) << daemon.log();
}

TEST(RunConditions, RobotsAtImpossiblePlaces) {
  RunningDaemon daemon(
      "physics:\n  type: trajectory\n  tracks:\n"
      "    red: [{at: 0s, position: [0m, 0m, -10m]}]\n    blue: [{at: 0s, position: [30m, 0m, 2m]}]\n"
      "  obstacles:\n    - {name: tower, box: {min: [29m, -1m, 0m], max: [31m, 1m, 20m]}, material: concrete}\n"
      "netsim: {type: embedded}\n" +
      robots_text({"red", "blue"}, ", radio: wifi_11n_2g4_adhoc"));
  const std::string under = "robot red: at z = -10 m is under the ground, which is z = 0";
  const std::string within = "robot blue: at 30, 0, 2 m is within the solid obstacle 'tower'";
  EXPECT_EQ(daemon.await_condition("robot_misplaced", "red"), under);
  EXPECT_EQ(daemon.await_condition("robot_misplaced", "blue"), within);
  EXPECT_THAT(daemon.status_text(), AllOf(HasSubstr("! " + under), HasSubstr("! " + within)));
  EXPECT_EQ(daemon.count_in_log(under), 1U);
  EXPECT_EQ(daemon.count_in_log(within), 1U);
  EXPECT_THAT(check_output(daemon),
              AllOf(HasSubstr("gateway.yaml:15: " + under), HasSubstr("gateway.yaml:16: " + within)));
}

TEST(RunConditions, IncompatibleRadios) {
  std::string text = kRadioRun;
  constexpr std::string_view kSame = "wifi_11n_2g4_adhoc";
  text.replace(text.rfind(kSame), kSame.size(), "lora_sx1276_sf7");
  RunningDaemon daemon(text);
  const std::string condition = daemon.await_condition("radios_deaf");
  EXPECT_THAT(condition, AllOf(HasSubstr("robots: radios of different media do not hear one another: "),
                               HasSubstr("(red)"), HasSubstr("(blue)")));
  EXPECT_THAT(daemon.status_text(), HasSubstr("! " + condition));
  EXPECT_EQ(daemon.count_in_log(condition), 1U);
  EXPECT_THAT(check_output(daemon), HasSubstr("gateway.yaml:8: " + condition));
}

// So that people see which device the configuration lacks.
TEST(RunConditions, TheLastUnknownSenderIsNamedInStatusAndOnceInTheLog) {
  RunningDaemon daemon(robots_text({"red", "blue"}) + "netsim: {type: wire}\n");
  EXPECT_THAT(daemon.status().at("unknown_senders"), IsEmpty());
  const auto send = [&daemon](unsigned stranger) {
    daemon.arrive(0, udp_frame(stranger, 2, 60));
    daemon.pass(1500ms);
  };
  const std::string logged = "port red: frames from " + mac_of(8).text() + " are dropped as unknown_sender";
  send(8);
  EXPECT_EQ(daemon.count_in_log(logged), 1U) << daemon.log();
  send(8);
  const auto senders = daemon.status().at("unknown_senders");
  ASSERT_EQ(senders.size(), 1U);
  EXPECT_EQ(senders[0].at("mac"), mac_of(8).text());
  EXPECT_EQ(senders[0].at("frames"), 2);
  EXPECT_EQ(senders[0].at("port"), "red");
  EXPECT_THAT(daemon.status_text(), HasSubstr("unknown sender on port red: " + mac_of(8).text() + "; 2 frames"));
  send(9);
  EXPECT_EQ(daemon.count_in_log("frames from " + mac_of(9).text()), 1U) << daemon.log();
  EXPECT_EQ(daemon.count_in_log(logged), 1U) << daemon.log();
  EXPECT_THAT(daemon.take_sent(), IsEmpty());
  EXPECT_EQ(daemon.status().at("totals").at("dropped").at("unknown_sender"), 3);
}

TEST(RunConditions, FramesHeldAtTheEndAreDroppedAndReported) {
  RunningDaemon daemon(robots_text({"red", "blue"}) +
                       "netsim: {type: wire}\nlinks: [{from: red, to: blue, delay: 1h}]\n");
  daemon.arrive(0, udp_frame(1, 2, 60));
  daemon.pass(1ms);
  EXPECT_EQ(daemon.status().at("totals").at("held"), 1);
  daemon.stop();
  EXPECT_EQ(daemon.count_in_log("stopped: in 1 = out 0 + dropped 1 + held 0"), 1U) << daemon.log();
}

TEST(RunFrames, UnknownProtocolsAreTreatedAsPayload) {
  RunningDaemon daemon(robots_text({"red", "blue"}) + "netsim: {type: wire}\n");
  const Layer2 to{.destination = mac_of(2), .source = mac_of(1)};
  for (const Bytes& frame : {
           ethernet(to, 0x0800, {0x4f, 0, 0xff, 0xff}),                // IPv4, cut off in its header
           ethernet(to, 0x0800, Bytes(20, 0xff)),                      // no such version
           ethernet(to, 0x86dd, {0x60, 0, 0, 0, 0xff, 0xff}),          // IPv6, cut off
           ethernet(to, 0x86dd, ipv6(0, {17, 0xff})),                  // an extension header longer than the packet
           ethernet(to, 0x0806, {0, 1}),                               // ARP, cut off
           ethernet(to, 0x0800, ipv4(17, {0, 1})),                     // UDP, cut off
           ethernet(to, 0x0800, ipv4(6, tcp({}, 0, 80), {}, 0x2000)),  // the first of several fragments
           ethernet(to, 0x0003, counting(3)),                          // an IEEE 802.3 length
       }) {
    daemon.arrive(0, frame);
    daemon.pass(1ms);
    const auto sent = daemon.take_sent();
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(sent.front().port, 1U);
    EXPECT_EQ(sent.front().bytes, frame);
  }
}

}  // namespace
}  // namespace hilgate::test
