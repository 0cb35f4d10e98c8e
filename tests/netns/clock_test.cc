// SPDX-License-Identifier: Apache-2.0
// The clock of the real gateway beside stock ptp4l: as a slave of the lab, and as the master of robots. ptp4l runs
// without CAP_SYS_TIME, and nothing here can touch the machine's clock.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/clock/ptp_lab.h"
#include "tests/clock/slave_meter.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

using ClockTest = GatewayTest;

// ptp4l's files and sockets, and ptp4l itself wherever it is wanted.
class StockPtp {
 public:
  [[nodiscard]] std::filesystem::path folder() const { return std::filesystem::path(folder_.write("")).parent_path(); }
  [[nodiscard]] std::filesystem::path socket(const std::string& name) const { return folder() / (name + ".uds"); }

  std::unique_ptr<Process> start(const NetNs& where, const std::string& interface, const std::string& name,
                                 const std::string& options) const {
    return where.start(ptp4l_command(folder(), name, interface, options));
  }

 private:
  RunFolder folder_;
};

std::string over_ethernet(std::string options) {
  return options.replace(options.find("UDPv4"), 5, "L2");
}

Json ask(const RunningGateway& gateway, const std::string& command) {
  return control_request(control_socket(gateway.run()), {{"command", command}});
}
// The gateway's clock as soon as it is as wanted, or as it is after a minute.
Json clock_when(const RunningGateway& gateway, const std::function<bool(const Json&)>& good) {
  Json clock;
  wait_until(60s, [&] {
    clock = ask(gateway, "clock");
    return good(clock);
  });
  return clock;
}
// The first measurement may come before the offset has been computed: it is 0 until the Sync after that.
std::optional<SlaveMeasurement> first_offset(
    SlaveMeter& meter, const std::function<bool()>& also = [] { return true; }) {
  std::optional<SlaveMeasurement> first;
  wait_until(40s, [&] {
    first = meter.next(1s);
    return first && first->offset != 0ns && also();
  });
  return first;
}
bool is(const Json& clock, const char* state) {
  return clock["state"] == state;
}

// How far sim time's windows are from multiples of their length on the disciplined clock.
Nanoseconds misplaced(const Json& clock, Nanoseconds window) {
  const auto apart = Nanoseconds{clock["wall_ns"].get<std::int64_t>() - clock["sim_ns"].get<std::int64_t>()} % window;
  return std::min(apart, window - apart);
}

TEST_F(ClockTest, FollowsALabsMasterThroughItsComingsAndGoings) {
  const StockPtp ptp;
  const std::string slave_socket = ptp.socket("slave");
  const std::string yaml = fmt::format(
      "netsim: {{type: wire}}\nwindow: 2ms\nclock: {{source: ptp4l, socket: {}, loss_after: 2s}}\n", slave_socket);
  const RunningGateway gateway({.yaml = yaml});
  const RunningGateway other({.yaml = yaml});
  const Json waiting = ask(gateway, "clock");
  EXPECT_EQ(waiting["state"], "waiting");
  EXPECT_EQ(waiting["problem"],
            fmt::format("socket {0} does not exist: is ptp4l running with uds_address {0}?", slave_socket));

  const NetNs lab("clock-lab");
  const VethPair wire({&lab, "va", "", {"10.78.0.1/24"}}, {&gateway.lab().gateway(), "vb", "", {"10.78.0.2/24"}});
  auto master = ptp.start(lab, "va", "master", master_options());
  const auto slave = ptp.start(gateway.lab().gateway(), "vb", "slave", measuring_options());
  for (const RunningGateway* each : {&gateway, &other}) {
    const Json clock = clock_when(*each, [](const Json& now) {
      return is(now, "tracking") && misplaced(now, 2ms) < 1us && now["measurements"] > 8 &&
             now["grandmaster"].is_string();
    });
    EXPECT_EQ(clock["state"], "tracking") << clock << slave->output();
    EXPECT_LT(misplaced(clock, 2ms), 1us) << "windows are multiples of their length on the reference: " << clock;
    EXPECT_TRUE(clock["grandmaster"].is_string()) << clock;
    EXPECT_EQ(clock["events"]["reference_found"], 1);
  }

  // A busy machine may have kept a Sync back for longer than the two seconds that make a loss.
  const auto losses = ask(gateway, "clock")["losses"].get<int>();
  master.reset();
  const Json lost = clock_when(gateway, [&](const Json& now) { return is(now, "holdover") && now["losses"] > losses; });
  EXPECT_EQ(lost["state"], "holdover") << lost;
  EXPECT_GT(lost["losses"], losses);
  const auto window = gateway.status().window("number");
  gateway.status_when([&](const GatewayStatus& status) { return status.window("number") > window + 10; });
  EXPECT_GT(gateway.status().window("number"), window + 10) << "windows go on in holdover";

  master = ptp.start(lab, "va", "master", master_options());
  const Json back = clock_when(gateway, [](const Json& now) { return is(now, "tracking"); });
  EXPECT_EQ(back["state"], "tracking") << back;
  EXPECT_GT(back["events"]["reference_returned"], losses);
}

TEST_F(ClockTest, RobotsFollowSimTimeAtItsPaceAndWhileItStands) {
  const StockPtp ptp;
  const RunningGateway gateway(
      {.yaml = "netsim: {type: wire}\nwindow: 10ms\npace: dilate\ndilate: 50 %\n"
               "clock: {serve: [{port: red, answer: unit, epoch: 2100-01-01, announce_every: 250ms}]}\n",
       .before = "ip address add 10.77.0.254/24 dev hg-red"});
  const auto slave = ptp.start(gateway.robot(0), "eth0", "red", measuring_options());
  SlaveMeter meter(ptp.socket("red"), ptp.folder() / "own");
  const auto first = first_offset(meter);
  ASSERT_TRUE(first) << slave->output() << gateway.output();
  EXPECT_GE(first->master, PtpTime{4'102'444'800s});
  EXPECT_LT(first->master, PtpTime{4'102'444'800s + 1h});
  // The bounds are for a busy machine; what is exact is measured by hand (tests/clock/clock_accuracy.cc).
  EXPECT_NEAR(meter.rate(3s).value_or(-1), 0.5, 5e-3);
  EXPECT_EQ(ask(gateway, "clock")["serves"][0]["slaves"], 1);

  ask(gateway, "pause");
  meter.next(5s);
  const auto window = gateway.status().window("number");
  EXPECT_NEAR(meter.rate(2s).value_or(-1), 0, 5e-3);
  EXPECT_EQ(gateway.status().window("number"), window);
  ask(gateway, "resume");
  control_request(control_socket(gateway.run()), {{"command", "set"}, {"values", {"dilate=200 %"}}});
  meter.next(5s);
  EXPECT_NEAR(meter.rate(3s).value_or(-1), 2, 2e-2);
  const auto going = gateway.status_when([&](const GatewayStatus& now) { return now.window("number") > window + 10; });
  EXPECT_GT(going.window("number"), window + 10);
  EXPECT_TRUE(going.balanced);
}

// A clock that physics' bridge writes goes half as fast as the host's, and so does the time that robots are served.
TEST_F(ClockTest, RobotsAreServedTheTimeOfPhysicsThatIsFollowed) {
  const StockPtp ptp;
  const RunningGateway gateway(
      {.yaml = "physics: {type: cornet}\nnetsim: {type: wire}\nwindow: 10ms\npace: follow\n"
               "clock: {serve: [{port: red, answer: unit, epoch: 2100-01-01, announce_every: 250ms}]}\n",
       .before = "ip address add 10.77.0.254/24 dev hg-red"});
  const Process physics({hilgate_program(), "sim", "positions", "--protocol", "cornet", "--run", gateway.run(),
                         "--name", "red", "--name", "blue", "--speed", "0.5"});
  const auto slave = ptp.start(gateway.robot(0), "eth0", "red", measuring_options());
  SlaveMeter meter(ptp.socket("red"), ptp.folder() / "own");
  const auto first = first_offset(meter, [&] { return ask(gateway, "clock")["follow"]["state"] == "following"; });
  ASSERT_TRUE(first) << slave->output() << gateway.output() << physics.output();
  EXPECT_GE(first->master, PtpTime{4'102'444'800s});
  EXPECT_NEAR(meter.rate(4s).value_or(-1), 0.5, 2e-2);
}

TEST_F(ClockTest, ARogueMasterOnARobotsPortIsRefusedOrGivenWayToAsConfigured) {
  const StockPtp ptp;
  RunningGateway gateway(
      {.yaml = "netsim: {type: wire}\nclock: {serve: [{port: red, transport: l2, announce_every: 250ms}, "
               "{port: blue, transport: l2, announce_every: 250ms, better_master: yield}]}\n"});
  const auto rogue_red = ptp.start(gateway.robot(0), "eth0", "red", over_ethernet(master_options()));
  const auto rogue_blue = ptp.start(gateway.robot(1), "eth0", "blue", over_ethernet(master_options()));
  const Json clock = clock_when(gateway, [](const Json& now) {
    return now["serves"][0]["events"]["rogue_master"] == 1 && now["serves"][0]["state"] == "master" &&
           now["serves"][1]["state"] == "passive";
  });
  EXPECT_EQ(clock["serves"][0]["events"]["rogue_master"], 1) << clock;
  EXPECT_EQ(clock["serves"][0]["state"], "master") << "it insists";
  EXPECT_EQ(clock["serves"][1]["state"], "passive") << "it was told to give way";
  EXPECT_TRUE(gateway.process().wait_for_output("port red: PTP: rogue_master: ", 20s)) << gateway.output();
}

TEST_F(ClockTest, ReportsRequirementsOfServingAndPausing) {
  try {
    const RunningGateway gateway({.yaml = "netsim: {type: wire}\nclock: {serve: [{port: red}]}\n"});
    FAIL() << "UDPv4 without an address is heard by nobody";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("clock.serve: port 'red': hg-red has no IPv4 address"));
  }
  {
    const NetLab lab("e2e", {"red"});
    const RunFolder folder;
    const std::string file =
        folder.write(ports_and_robots({"red"}) + "netsim: {type: wire}\nclock: {serve: [{port: red}]}\n");
    const auto checked = lab.gateway().run(hilgate_program() + " check --live " + file + " 2>&1");
    EXPECT_EQ(checked.status, 2) << checked.output;
    EXPECT_THAT(checked.output, HasSubstr("clock.serve: port 'red': hg-red has no IPv4 address"));
    EXPECT_THAT(checked.output, HasSubstr("`transport: l2`"));
  }
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\n"});
  EXPECT_EQ(ask(gateway, "clock")["source"], "monotonic");
  try {
    ask(gateway, "pause");
    FAIL() << "real time does not stand";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("simulation time can be paused with pace dilate only"));
  }
}

}  // namespace
}  // namespace hilgate::test
