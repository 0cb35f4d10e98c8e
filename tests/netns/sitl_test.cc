// SPDX-License-Identifier: Apache-2.0
// Vehicles that fly out of range and back, and vehicles whose clock is not the run's.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "physics_link/mavlink/messages.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/eventually.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using SitlTest = GatewayTest;

constexpr std::uint16_t kSitlPort = 14550;

TEST_F(SitlTest, TwoVehiclesAreLostReturnByFailsafeAndLand) {
  Process flight(
      {"env", "HILGATE=" + hilgate_program(), HILGATE_SOURCE_DIR "/examples/sitl/fly.sh", "--short", "--speedup", "3"});
  EXPECT_EQ(flight.wait(180s), 0) << flight.output();
  const std::string output = flight.output();
  for (const char* vehicle : {"1", "2"}) {
    const std::string it = fmt::format("vehicle {}", vehicle);
    EXPECT_THAT(output, HasSubstr(it + " has sent its 200 parameters"));
    EXPECT_THAT(output, HasSubstr(it + " returns by itself"));
    EXPECT_THAT(output, HasSubstr(it + " has landed"));
    EXPECT_THAT(output, HasSubstr(it + ": 1 failsafes")) << "none for the vehicle's pace";
  }
  EXPECT_THAT(output, AllOf(HasSubstr("(balanced)"), Not(HasSubstr("runs at")))) << "their pace is the run's";
}

constexpr std::uint32_t kSystemTime = 2;
constexpr std::uint32_t kLocalPosition = 32;

// A vehicle whose clock runs `speedup` times as fast as the host's says where it is, or what time, ten times a second,
// until it is done by the number that it has sent, which is returned.
std::size_t fly_at(const RunningGateway& gateway, std::uint32_t speedup, std::uint32_t message,
                   const std::function<bool(std::size_t sent)>& done) {
  constexpr auto kVehiclePace = 100ms;
  const UdpSocket socket(gateway.robot(0), NetLab::ipv4(0), kSitlPort);
  const auto start = std::chrono::steady_clock::now();
  std::size_t sent = 0;
  for (; !done(sent); ++sent) {
    const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
    const auto boot = static_cast<std::uint32_t>(since.count()) * speedup;
    const bool is_time = message == kSystemTime;
    std::vector<std::uint8_t> payload(is_time ? 12 : 28);
    std::memcpy(payload.data() + (is_time ? 8 : 0), &boot, sizeof(boot));
    const std::string text =
        mavlink::write_frame({.sequence = static_cast<std::uint8_t>(sent), .system = 1, .component = 1}, message,
                             is_time ? 137 : 185, std::as_bytes(std::span(payload)));
    const auto bytes = std::as_bytes(std::span(text));
    socket.send(NetLab::ipv4(1), kSitlPort, {bytes.begin(), bytes.end()});
    std::this_thread::sleep_for(kVehiclePace);
  }
  return sent;
}

constexpr const char* kTelemetry =
    "netsim: {type: embedded}\nphysics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m]}}\n";

TEST_F(SitlTest, FasterVehicleIsReportedAndOthersAreNot) {
  std::size_t until_reported = 0;
  {
    const RunningGateway wall({.yaml = kTelemetry});
    constexpr std::size_t kMost = 300;
    const std::string report = "the clock of robot red's autopilot runs at";
    until_reported = fly_at(wall, 5, kLocalPosition, [&](std::size_t sent) {
      return sent == kMost || wall.output().find(report) != std::string::npos;
    });
    EXPECT_THAT(wall.output(), AllOf(HasSubstr(report), HasSubstr("`pace: dilate`")));
  }
  const RunningGateway dilated({.yaml = std::string(kTelemetry) + "pace: dilate\ndilate: 500 %\n"});
  fly_at(dilated, 5, kLocalPosition, [&](std::size_t sent) { return sent == 2 * until_reported; });
  EXPECT_THAT(dilated.output(), Not(HasSubstr("autopilot runs at")));
}

// Its time since boot is what is followed: 3 s of it a second, though the gateway was told no factor.
TEST_F(SitlTest, SimulationTimeKeepsStepWithAVehiclesClock) {
  const RunningGateway gateway(
      {.yaml = std::string(kTelemetry) + "pace: follow\nfollow: {fastest: 500 %}\nwindow: 5ms\n"});
  const std::jthread vehicle([&gateway](const std::stop_token& stop) {
    fly_at(gateway, 3, kSystemTime, [&stop](std::size_t) { return stop.stop_requested(); });
  });
  nlohmann::ordered_json follow;
  const auto is_in_step = [&] {
    follow = control_request(control_socket(gateway.run()), {{"command", "clock"}})["follow"];
    return follow["state"] == "following" && std::abs(follow["rate"].get<double>() - 3) < 0.3;
  };
  EXPECT_TRUE(eventually(is_in_step)) << follow;
  EXPECT_THAT(gateway.output(), HasSubstr("the time of MAVLink system 1 at robot red is followed"));
}

// A vehicle that stamps, counts and gives up as PX4 does (px4_vehicle.py).
class Px4Test : public GatewayTest {
 protected:
  static GatewaySetup setup(const std::string& pace) {
    return {.yaml =
                "netsim: {type: embedded}\nphysics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m], "
                "green: [0m, 30m, 5m]}}\n" +
                pace,
            .robots = {"red", "blue", "green"},
            .robot = ", radio_status: true"};
  }
  static std::unique_ptr<Process> fly(const RunningGateway& gateway, int seconds, int speed) {
    return gateway.robot(0).start({"/usr/bin/python3", HILGATE_SOURCE_DIR "/tests/netns/px4_vehicle.py",
                                   std::to_string(seconds), std::to_string(speed), NetLab::ipv4(1), NetLab::ipv4(2)});
  }
  static nlohmann::ordered_json ask(const RunningGateway& gateway, const char* command) {
    return control_request(control_socket(gateway.run()), {{"command", command}});
  }
};

// Its GLOBAL_POSITION_INT is stamped up to 4 ms earlier than the ATTITUDE before it.
TEST_F(Px4Test, SimulationTimeFollowsItWithoutJumps) {
  const RunningGateway gateway(setup("pace: follow\nwindow: 5ms\n"));
  const auto vehicle = fly(gateway, 14, 1);
  const auto sim_s = [&gateway] { return ask(gateway, "clock")["sim_ns"].get<double>() / 1e9; };
  const auto state = [&gateway] { return ask(gateway, "clock")["follow"]["state"].get<std::string>(); };
  EXPECT_TRUE(eventually([&] { return state() == "following"; })) << gateway.output();
  const auto let_pass = [&](double seconds) {
    EXPECT_TRUE(eventually([&, wanted = sim_s() + seconds] { return sim_s() >= wanted; }));
  };
  let_pass(3);  // its rate is known then
  const double sim_before = sim_s();
  const auto before = std::chrono::steady_clock::now();
  let_pass(7);
  const double sim_after = sim_s();
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - before;
  EXPECT_NEAR((sim_after - sim_before) / passed.count(), 1, 0.015);
  EXPECT_EQ(vehicle->wait(30s), 0) << vehicle->output();
  EXPECT_TRUE(eventually([&] { return state() == "holding"; })) << "the stream has stopped";
  const auto follow = ask(gateway, "clock")["follow"];
  EXPECT_EQ(follow["jumps"], 0) << follow;
  EXPECT_EQ(follow["saturations"], 0) << follow;
  EXPECT_EQ(follow["state"], "holding") << follow;
  EXPECT_THAT(gateway.output(), AllOf(Not(HasSubstr("jumped")), Not(HasSubstr("slowest"))));
}

// Two ground stations: two flows to one socket, whose sequence the vehicle checks, six times as fast as the host.
TEST_F(Px4Test, ItsRadioReportsOnceASecondOfItsOwnInOneSequence) {
  const RunningGateway gateway(setup("pace: dilate\ndilate: 600 %\nwindow: 50ms\n"));
  const auto vehicle = fly(gateway, 8, 6);
  EXPECT_EQ(vehicle->wait(40s), 0) << vehicle->output();
  const auto seen = nlohmann::json::parse(vehicle->output());
  EXPECT_EQ(seen["timeouts"], 0) << seen;
  EXPECT_EQ(seen["lost"], 0) << seen;
  EXPECT_GT(seen["reports"], 60) << "48 s of its clock, from two flows: " << seen;
  EXPECT_LT(seen["reports"], 110) << seen;
  EXPECT_THAT(gateway.output(), Not(HasSubstr("autopilot runs at")));
  EXPECT_THAT(gateway.output(), Not(HasSubstr("has sent no position")));
}

}  // namespace
}  // namespace hilgate::test
