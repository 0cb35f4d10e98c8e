// SPDX-License-Identifier: Apache-2.0
// Programs that push positions: the configuration of each as it is installed, in a lab, beside a stand-in that sends as
// the original does.
#include <gmock/gmock.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>

#include "clock/host_now.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/physics_link/cot/event_files.h"
#include "tests/physics_link/dis/pdu_files.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

class Feed : public GatewayTest, public testing::WithParamInterface<const char*> {
 protected:
  Feed() {
    std::filesystem::create_directory(folder_);
    std::filesystem::copy(std::string(HILGATE_SOURCE_DIR "/examples/simulators/") + GetParam() + ".yaml", file());
  }
  ~Feed() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string file() const { return (folder_ / (std::string(GetParam()) + ".yaml")).string(); }
  [[nodiscard]] std::string positions() const { return (folder_ / "avens-positions.xml").string(); }

 private:
  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hilgate-feed-" + std::to_string(::getpid()) + GetParam());
};

double x_of(const Json& status, std::size_t robot) {
  const Json& at = status["robots"][robot];
  return at.contains("position") ? at["position"][0].get<double>() : 0;
}

TEST_P(Feed, MovesTheRobotsOfItsConfigurationAroundObstacles) {
  const NetNs host(std::string("feed-") + GetParam());
  const auto up = host.start({hilgate_program(), "lab", "up", file()});
  ASSERT_EQ(up->wait(20s), 0) << up->output();
  {
    const auto gateway = host.start({hilgate_program(), "run", file()});
    ASSERT_TRUE(gateway->wait_for_output("running, 2 robots", 60s)) << gateway->output();
    std::vector<std::string> argv = {hilgate_program(), "sim", "positions", "--protocol", GetParam(), "--lap", "3s"};
    if (GetParam() == std::string("avens")) {
      argv.insert(argv.end(), {"--address", positions()});
    } else if (GetParam() == std::string("cornet")) {
      argv.insert(argv.end(), {"--run", "cornet"});
    }
    const auto sender = host.start(argv);
    const Json right = status_when(GetParam(), [](const Json& now) { return x_of(now, 0) > 8 && x_of(now, 1) > 16; });
    EXPECT_GT(x_of(right, 1), 16) << sender->output() << gateway->output();
    const Json left = status_when(GetParam(), [](const Json& now) { return x_of(now, 0) < -8 && x_of(now, 1) < -16; });
    EXPECT_LT(x_of(left, 1), -16) << "robots move: " << sender->output();
    if (GetParam() != std::string("cornet")) {
      const Json blocked =
          status_when(GetParam(), [](const Json& now) { return now["links"][0]["line_of_sight"] == false; });
      EXPECT_EQ(blocked["links"][0]["line_of_sight"], false) << "the shed stands between them once a lap";
      const Json clear =
          status_when(GetParam(), [](const Json& now) { return now["links"][0]["line_of_sight"] == true; });
      EXPECT_EQ(clear["links"][0]["line_of_sight"], true);
    }
  }
  const auto down = host.start({hilgate_program(), "lab", "down", file()});
  EXPECT_EQ(down->wait(20s), 0) << down->output();
}

// Datagrams of DIS that open-dis wrote (tests/physics_link/dis/pdus).
TEST_F(GatewayTest, AnEntityOfDisIsARobot) {
  const RunningGateway gateway({.yaml =
                                    "window: 5ms\nnetsim: {type: wire}\n"
                                    "physics: {type: dis, origin: {latitude: 47, longitude: 11, altitude: 540 m}}\n",
                                .robots = {"red"},
                                .robot = ", id: \"1:2:7\"",
                                .before = "ip link set lo up"});
  const UdpSocket sender(gateway.lab().gateway(), "127.0.0.1", 4000);
  EXPECT_THAT(status_of(gateway.run())["conditions"].dump(), testing::HasSubstr("position_missing"));
  sender.send("127.0.0.1", 3000, dis::test::pdu_file("articulated"));  // 1:2:8
  sender.send("127.0.0.1", 3000, Bytes{7, 1, 1});
  const Json others = status_when(gateway.run(), [](const Json& now) {
    return now["conditions"].dump().find("positions come of names that no robot has") != std::string::npos;
  });
  EXPECT_EQ(others["window"]["feed"]["unknown"], 1);
  EXPECT_EQ(others["window"]["feed"]["malformed_by"]["header"], 1);
  sender.send("127.0.0.1", 3000, dis::test::pdu_file("entity_state"));
  const Json placed = status_when(gateway.run(), [](const Json& now) { return x_of(now, 0) > 5; });
  EXPECT_GT(x_of(placed, 0), 5) << "to the east from the origin, as dead reckoning has it";
  EXPECT_EQ(placed["window"]["feed"]["sources"][0]["name"], "1:2:7");
  EXPECT_EQ(placed["window"]["feed"]["positions"], 1);
  EXPECT_THAT(placed["conditions"].dump(), testing::Not(testing::HasSubstr("position_missing")));
}

// An event of Cursor on Target that node-cot wrote (tests/physics_link/cot/events), now.
TEST_F(GatewayTest, AnEventOfCursorOnTargetMovesARobot) {
  const RunningGateway gateway({.yaml =
                                    "window: 5ms\nnetsim: {type: wire}\n"
                                    "physics: {type: cot, group: 239.2.3.1, address: '0.0.0.0:6969', insecure: true,\n"
                                    "  origin: {latitude: 47, longitude: 11, altitude: 540 m}}\n",
                                .robots = {"red"},
                                .robot = ", id: drone-1",
                                .before = "ip link set lo up && ip route add 239.0.0.0/8 dev lo"});
  const NetNs& host = gateway.lab().gateway();
  const UdpSocket sender(host, "127.0.0.1", 4000);
  const auto send = [&](const std::string& to, const std::string& event) {
    const auto bytes = std::as_bytes(std::span(event));
    sender.send(to, 6969, std::vector<std::byte>(bytes.begin(), bytes.end()));
  };
  const auto valid = [](std::string event) {
    const Nanoseconds now = host_now().time_since_epoch() + utc_ahead_of_host();
    event = cot::test::with(event, " time=\"2026-11-29T12:00:00.250Z\"", " time=\"" + utc_text(now) + "\"");
    return cot::test::with(event, "2026-11-29T12:00:30.250Z", utc_text(now + 30s));
  };
  send("127.0.0.1", cot::test::event_file("phone"));
  send("127.0.0.1", cot::test::event_file("phone"));
  send("127.0.0.1", "<event");
  send("127.0.0.1", cot::test::with(cot::test::event_file("drone"), "stale=\"2026-", "stale=\"2016-"));
  send("127.0.0.1", valid(cot::test::event_file("swapped")));
  const Json refused =
      status_when(gateway.run(), [](const Json& now) { return now["window"]["feed"]["malformed"] == 2; });
  EXPECT_EQ(refused["window"]["feed"]["unknown"], 2);
  EXPECT_EQ(refused["window"]["feed"]["sources"][0]["old"], 1);
  EXPECT_EQ(refused["window"]["feed"]["malformed_by"]["xml"], 1);
  EXPECT_EQ(refused["window"]["feed"]["malformed_by"]["swapped"], 1);
  EXPECT_THAT(refused["conditions"].dump(), testing::HasSubstr("position_missing"));
  send("239.2.3.1", valid(cot::test::event_file("drone")));
  const Json placed = status_when(gateway.run(), [](const Json& now) { return x_of(now, 0) > 5; });
  EXPECT_NEAR(x_of(placed, 0), 76, 1) << "0.001 degrees to the east";
  EXPECT_EQ(placed["window"]["feed"]["sources"][0]["name"], "drone-1");
  EXPECT_EQ(placed["window"]["feed"]["positions"], 1);
  const std::string output = gateway.output();
  EXPECT_THAT(output, testing::HasSubstr("no robot has the uid 'ANDROID-77' or the callsign 'BLUE'"));
  EXPECT_EQ(output.find("ANDROID-77"), output.rfind("ANDROID-77")) << "once";
  EXPECT_THAT(output, testing::HasSubstr("has its latitude and longitude swapped"));
}

INSTANTIATE_TEST_SUITE_P(Senders, Feed, testing::Values("cornet", "cornet2", "flynetsim", "robonetsim", "avens"));

}  // namespace
}  // namespace hilgate::test
