// SPDX-License-Identifier: Apache-2.0
// A vehicle and a ground station that speak MAVLink through the real gateway, by the sockets of their kernels. What the
// gateway makes of messages is in tests/gateway/daemon/run_positions_test.cc.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "physics_link/mavlink/messages.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/mavlink_writer.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

using MavlinkTest = GatewayTest;

constexpr std::uint16_t kMavlinkPort = 14550;
constexpr auto kMavlinkPatience = 20s;
constexpr const char* kRadios =
    "window: 5ms\nnetsim: {type: embedded}\n"
    "physics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m]}}\n";

// Somebody who speaks MAVLink to one other.
class Speaker {
 public:
  Speaker(const RunningGateway& gateway, std::size_t robot, std::size_t peer, std::uint8_t system)
      : socket_(gateway.robot(robot), NetLab::ipv4(robot), kMavlinkPort), peer_(NetLab::ipv4(peer)), writer_(system) {}

  void heartbeat() { send(writer_.heartbeat()); }
  void local_position(float east, float north, float up) { send(writer_.local_position(east, north, up)); }

  // The next RADIO_STATUS that comes; what else comes is left out.
  std::optional<mavlink::RadioStatus> radio_status() {
    const auto deadline = std::chrono::steady_clock::now() + kMavlinkPatience;
    while (std::chrono::steady_clock::now() < deadline) {
      heartbeat();
      const auto datagram = socket_.receive(100ms);
      const auto frame = datagram ? mavlink::first_frame(std::as_bytes(std::span(*datagram))) : std::nullopt;
      if (frame && frame->system == 51 && mavlink::check(*frame) == mavlink::Checksum::kRight) {
        const auto message = mavlink::read_message(*frame);
        if (const auto* status = std::get_if<mavlink::RadioStatus>(&message)) {
          return *status;
        }
      }
    }
    return std::nullopt;
  }

 private:
  void send(const Bytes& message) { socket_.send(peer_, kMavlinkPort, message); }

  UdpSocket socket_;
  std::string peer_;
  MavlinkWriter writer_;
};

// Robots on a quiet air know each other's addresses: nothing of the test waits for ARP.
void introduce(const RunningGateway& gateway) {
  for (std::size_t n = 0; n < 2; ++n) {
    gateway.robot(n).run_ok(
        fmt::format("ip neigh replace {} lladdr {} dev eth0 nud permanent", NetLab::ipv4(1 - n), NetLab::mac(1 - n)));
  }
}

// Kernels that know nobody's address send nothing but ARP, and that reaches nobody out of range.
TEST_F(MavlinkTest, AVehicleOutOfRangeIsSeenToComeBackWithoutStaticNeighbours) {
  const RunningGateway gateway({.yaml = kRadios});
  const auto in_range = [](const GatewayStatus& now, double east) {
    return !now.positions.empty() && now.positions[0][0] == east;
  };
  Speaker vehicle(gateway, 0, 1, 1);
  const auto fly_to = [&](float east) {
    return gateway.status_when([&](const GatewayStatus& now) {
      vehicle.local_position(east, 0, 0);
      return in_range(now, static_cast<double>(east));
    });
  };
  EXPECT_TRUE(in_range(fly_to(90'000), 90'000));
  const auto released = gateway.status().link("red", "blue").counts("released");
  // Whoever was known is forgotten, as it comes by itself after a minute.
  gateway.robot(0).run_ok("ip neigh flush dev eth0");
  EXPECT_TRUE(in_range(fly_to(90'010), 90'010)) << "it speaks all the same";
  EXPECT_EQ(gateway.status().link("red", "blue").counts("released"), released) << "nobody hears it";
  EXPECT_TRUE(in_range(fly_to(12), 12));
  const auto met = gateway.status_when([&](const GatewayStatus& now) {
    vehicle.local_position(12, 0, 0);
    return now.link("red", "blue").counts("released") > released;
  });
  EXPECT_GT(met.link("red", "blue").counts("released"), released);
  EXPECT_TRUE(met.balanced);
}

// Datagrams of the gateway's own, which the robots' kernels accept.
TEST_F(MavlinkTest, RobotsReceiveRadioStatusAndTheirLinksInJson) {
  const RunningGateway gateway(
      {.yaml = kRadios, .robot = ", radio_status: true, rssi_feed: {port: 5005, every: 20ms}"});
  introduce(gateway);
  const UdpSocket red(gateway.robot(0), "0.0.0.0", 5005);
  const UdpSocket blue(gateway.robot(1), "0.0.0.0", 5005);
  Speaker vehicle(gateway, 0, 1, 1);
  Speaker ground(gateway, 1, 0, 255);
  vehicle.heartbeat();
  const auto in_air = vehicle.radio_status();
  const auto on_ground = ground.radio_status();
  ASSERT_TRUE(in_air);
  ASSERT_TRUE(on_ground);
  const Json status = status_of(gateway.run());
  for (const Json& link : status["links"]) {
    const mavlink::RadioStatus& there = link["to"] == "red" ? *in_air : *on_ground;
    // Shadowing moves by itself; nobody else does.
    EXPECT_NEAR(there.rssi, mavlink::sik_level(link["rssi_dbm"].get<double>()), 25) << link;
    const double noise_dbm = link["rssi_dbm"].get<double>() - link["snr_db"].get<double>();
    EXPECT_NEAR(there.noise, mavlink::sik_level(noise_dbm), 4) << link;
  }
  EXPECT_GT(in_air->rssi, in_air->noise);
  EXPECT_GE(in_air->txbuf, 50);
  EXPECT_GE(status["totals"]["injected"].get<std::uint64_t>(), 2U);
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>()) << status["totals"];
  EXPECT_EQ(status["mavlink"]["radio_status"].size(), 2U);

  std::uint64_t window = 0;
  for (int i = 0; i < 5; ++i) {
    const auto datagram = red.receive(kMavlinkPatience);
    ASSERT_TRUE(datagram);
    const Json feed = Json::parse(reinterpret_cast<const char*>(datagram->data()),
                                  reinterpret_cast<const char*>(datagram->data()) + datagram->size());
    EXPECT_EQ(feed["robot"], "red");
    ASSERT_EQ(feed["links"].size(), 1U);
    EXPECT_EQ(feed["links"][0]["peer"], "blue");
    if (i > 0) {
      EXPECT_GT(feed["window"], window);
      EXPECT_LT(feed["links"][0]["rx"]["rssi_dbm"].get<double>(), 0);
      EXPECT_GT(feed["links"][0]["tx"]["rate_mbps"].get<double>(), 0);
      EXPECT_GE(feed["links"][0]["rx"]["loss"].get<double>(), 0);
    }
    window = feed["window"];
  }
  EXPECT_TRUE(blue.receive(kMavlinkPatience));
  const Json end = status_of(gateway.run());
  EXPECT_GE(end["mavlink"]["rssi_feeds"][0]["sent"].get<std::uint64_t>(), 5U);
  EXPECT_TRUE(end["totals"]["balanced"].get<bool>()) << end["totals"];
}

TEST_F(MavlinkTest, TheExampleFliesByOneCommand) {
  const Finished flight =
      run({"env", "HILGATE=" + hilgate_program(), HILGATE_SOURCE_DIR "/examples/mavlink/fly.sh", "--seconds", "5"});
  EXPECT_EQ(flight.status, 0) << flight.output;
  EXPECT_THAT(flight.output, HasSubstr("RADIO_STATUS: heard at -"));
  EXPECT_THAT(flight.output, HasSubstr("feed reports -"));
  EXPECT_THAT(flight.output, HasSubstr("(balanced)"));
}

}  // namespace
}  // namespace hilgate::test
