// SPDX-License-Identifier: Apache-2.0
// A vehicle and a ground station that speak MAVLink through the real gateway.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <thread>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "physics_link/mavlink/messages.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

using MavlinkTest = GatewayTest;

constexpr std::uint16_t kPort = 14550;
constexpr auto kPatience = 20s;
constexpr const char* kRadios =
    "window: 5ms\nnetsim: {type: embedded}\n"
    "physics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m]}}\n";

Json system_in(const Json& status, int system) {
  for (const Json& one : status["mavlink"]["systems"]) {
    if (one["system"] == system) {
      return one;
    }
  }
  return Json::object();
}

// Somebody who speaks MAVLink to one other.
class Speaker {
 public:
  Speaker(const RunningGateway& gateway, std::size_t robot, std::size_t peer, std::uint8_t system)
      : Speaker(gateway.robot(robot), robot, peer, system) {}
  // At a robot that is none of the lab's.
  Speaker(const NetNs& where, std::size_t robot, std::size_t peer, std::uint8_t system)
      : socket_(where, NetLab::ipv4(robot), kPort), peer_(NetLab::ipv4(peer)), system_(system) {}

  void heartbeat() { say(0, 50, {0, 0, 0, 0, 2, 3, 0, 4, 3}); }
  void local_position(float east, float north, float up) {
    std::vector<std::uint8_t> payload(28);
    const std::array<float, 3> ned{north, east, -up};
    std::memcpy(payload.data() + 4, ned.data(), sizeof(ned));
    say(32, 185, payload);
  }
  void timesync(std::int64_t tc1, std::int64_t ts1) {
    std::vector<std::uint8_t> payload(16);
    std::memcpy(payload.data(), &tc1, 8);
    std::memcpy(payload.data() + 8, &ts1, 8);
    say(111, 34, payload);
  }
  // A router has several systems' messages.
  void speak_as(std::uint8_t system) { system_ = system; }
  void skip(std::uint8_t frames) { sequence_ = static_cast<std::uint8_t>(sequence_ + frames); }
  void send(const Bytes& bytes) { socket_.send(peer_, kPort, bytes); }
  Bytes frame(std::uint32_t message, std::uint8_t extra, const std::vector<std::uint8_t>& payload) {
    const std::string text = mavlink::write_frame({.sequence = sequence_++, .system = system_, .component = 1}, message,
                                                  extra, std::as_bytes(std::span(payload)));
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
  }

  // The next RADIO_STATUS that comes; what else comes is left out.
  std::optional<mavlink::RadioStatus> radio_status() {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
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
  [[nodiscard]] std::optional<Bytes> receive() const { return socket_.receive(kPatience); }

 private:
  void say(std::uint32_t message, std::uint8_t extra, const std::vector<std::uint8_t>& payload) {
    send(frame(message, extra, payload));
  }

  UdpSocket socket_;
  std::string peer_;
  std::uint8_t system_;
  std::uint8_t sequence_ = 0;
};

// Robots on a quiet air know each other's addresses: nothing of the test waits for ARP.
void introduce(const RunningGateway& gateway) {
  for (std::size_t n = 0; n < 2; ++n) {
    gateway.robot(n).run_ok(
        fmt::format("ip neigh replace {} lladdr {} dev eth0 nud permanent", NetLab::ipv4(1 - n), NetLab::mac(1 - n)));
  }
}

TEST_F(MavlinkTest, VehiclesAreAtTheirReportedPositions) {
  const RunningGateway gateway({.yaml = kRadios});
  introduce(gateway);
  Speaker vehicle(gateway, 0, 1, 1);
  const auto at_start = gateway.status_when([](const GatewayStatus& now) { return !now.positions.empty(); });
  ASSERT_FALSE(at_start.positions.empty());
  EXPECT_EQ(at_start.positions[0], (std::vector<double>{0, 0, 5}));
  vehicle.local_position(12, -3, 20);
  const auto moved = gateway.status_when([](const GatewayStatus& now) { return now.positions[0][0] != 0; });
  EXPECT_EQ(moved.positions[0], (std::vector<double>{12, -3, 25}));
  EXPECT_EQ(moved.positions[1], (std::vector<double>{30, 0, 5}));
  vehicle.local_position(NAN, 0, 0);
  vehicle.local_position(500, 0, 0);
  const Json status =
      status_when(gateway.run(), [](const Json& now) { return now["mavlink"]["vehicles"][0]["jumps"] == 1; });
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["no_numbers"], 1);
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["jumps"], 1);
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["positions"], 2);
  EXPECT_EQ(status["mavlink"]["missed"], 0);
  EXPECT_THAT(gateway.output(), HasSubstr("robot red jumped"));
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>());
}

// The vehicle's autopilot sends by both of its radios.
TEST_F(MavlinkTest, AStationWithTwoLinksKeepsAVehicleThatLosesEither) {
  const auto attached = [](const std::string& name, std::size_t n) {
    return fmt::format("{{port: p-{}, mac: \"{}\", ip: {}}}", name, NetLab::mac(n), NetLab::ipv4(n));
  };
  const RunningGateway gateway(
      {.yaml = "window: 5ms\nnetsim: {type: wire}\n"
               "physics: {type: mavlink, start: {red: [0m, 0m, 5m], base: [0m, 0m, 0m]}}\n",
       .robots = {"wifi", "sik", "base"},
       .wiring = fmt::format("ports: {{p-wifi: {{interface: hg-wifi}}, p-sik: {{interface: hg-sik}}, p-base: "
                             "{{interface: hg-base}}}}\nrobots:\n  red: {{system_id: 1, radios: {{wifi: {}, sik: "
                             "{}}}}}\n  base: {}\n",
                             attached("wifi", 0), attached("sik", 1), attached("base", 2))});
  Speaker by_wifi(gateway, 0, 2, 1);
  Speaker by_sik(gateway, 1, 2, 1);
  const UdpSocket station(gateway.robot(2), NetLab::ipv4(2), kPort);
  const auto lose = [&](const std::string& radio, const std::string& loss) {
    control_request(control_socket(gateway.run()),
                    {{"command", "set"}, {"values", {fmt::format("links.red.{}.base.loss={}", radio, loss)}}});
  };
  float east = 0;
  // The vehicle flies a metre on, and so many of its two messages are received.
  const auto received = [&](std::chrono::milliseconds limit = kPatience) {
    east += 1;
    by_wifi.local_position(east, 0, 0);
    by_sik.local_position(east, 0, 0);
    int count = 0;
    while (count < 2 && station.receive(count == 0 ? kPatience : limit)) {
      ++count;
    }
    const auto there = gateway.status_when(
        [&](const GatewayStatus& now) { return !now.positions.empty() && now.positions[0][0] == double{east}; });
    EXPECT_EQ(there.positions.at(0), there.positions.at(1)) << "one body";
    EXPECT_EQ(there.positions[0][0], double{east});
    return count;
  };
  EXPECT_EQ(received(), 2);
  lose("wifi", "100 %");
  EXPECT_EQ(received(200ms), 1);
  lose("wifi", "");
  lose("sik", "100 %");
  EXPECT_EQ(received(200ms), 1);
  lose("sik", "");
  EXPECT_EQ(received(), 2);
}

std::string radio_line(const std::string& name, const std::string& port, std::size_t n, const std::string& keys) {
  return fmt::format("  {}: {{port: {}, mac: \"{}\", ip: {}, radio: wifi_11n_2g4_adhoc{}}}\n", name, port,
                     NetLab::mac(n), NetLab::ipv4(n), keys);
}

TEST_F(MavlinkTest, ARouterPlacesSeveralVehiclesEachByItsSystem) {
  const RunningGateway gateway({.yaml = kRadios,
                                .wiring = "ports: {a: {interface: hg-red}, b: {interface: hg-blue}}\nrobots:\n" +
                                          radio_line("red", "a", 0, ", system_id: 1") +
                                          radio_line("blue", "b", 1, ", system_id: 2, positions_from: red")});
  introduce(gateway);
  Speaker router(gateway, 0, 1, 1);
  router.local_position(12, -3, 20);
  router.speak_as(2);
  router.local_position(7, 0, 1);
  router.speak_as(3);
  router.local_position(99, 0, 1);
  const Json status =
      // Messages are counted when they come; positions are those of the newest window.
      status_when(gateway.run(), [](const Json& now) {
        return now["mavlink"]["vehicles"][0]["other_system"] == 1 && now["robots"][0]["position"][0] == 12 &&
               now["robots"][1]["position"][0] == 37;
      });
  EXPECT_EQ(status["robots"][0]["position"], Json({12, -3, 25}));
  EXPECT_EQ(status["robots"][1]["position"], Json({37, 0, 6}));
  EXPECT_EQ(status["mavlink"]["vehicles"][1]["system"], 2);
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["other_system"], 1);
}

// Vehicles with a MAC address each, behind a switch at one port.
TEST_F(MavlinkTest, VehiclesOnOnePortHaveThePositionsOfTheirSystems) {
  constexpr std::size_t kBase = 1;
  constexpr std::size_t kFirst = 10;  // of NetLab's addresses
  const RunningGateway gateway({.yaml = "window: 5ms\nnetsim: {type: embedded}\nphysics: {type: mavlink, start: "
                                        "{one: [0m, 0m, 5m], two: [0m, 9m, 5m], base: [30m, 0m, 5m]}}\n",
                                .robots = {"switch", "base"},
                                .wiring = "ports: {s: {interface: hg-switch, isolated: true}, b: {interface: "
                                          "hg-base}}\nrobots:\n" +
                                          radio_line("one", "s", kFirst, "") + radio_line("two", "s", kFirst + 1, "") +
                                          radio_line("base", "b", kBase, "")});
  const NetNs& bridge = gateway.robot(0);
  bridge.run_ok("ip addr flush dev eth0 && ip link add sw type bridge && ip link set sw up");
  const NetNs one("mav-one"), two("mav-two");
  for (std::size_t i = 0; i < 2; ++i) {
    const NetNs& vehicle = i == 0 ? one : two;
    const std::string port = fmt::format("to-{}", i);
    VethPair({&bridge, port}, {&vehicle, "eth0", NetLab::mac(kFirst + i), {NetLab::ipv4(kFirst + i) + "/24"}});
    bridge.run_ok(fmt::format("ip link set {0} master sw && bridge link set dev {0} isolated on", port));
    vehicle.run_ok(
        fmt::format("ip neigh replace {} lladdr {} dev eth0 nud permanent", NetLab::ipv4(kBase), NetLab::mac(kBase)));
  }
  bridge.run_ok("ip link set eth0 master sw");
  Speaker first(one, kFirst, kBase, 1);
  Speaker second(two, kFirst + 1, kBase, 2);
  const Json status = status_when(gateway.run(), [&](const Json& now) {
    first.local_position(12, 0, 0);
    second.local_position(-4, 0, 0);
    return now["mavlink"]["vehicles"][0]["heard"] == true && now["mavlink"]["vehicles"][1]["heard"] == true &&
           now["robots"][1].contains("position") && now["robots"][1]["position"][0] == -4.0;
  });
  EXPECT_EQ(status["robots"][0]["position"], Json({12, 0, 5}));
  EXPECT_EQ(status["robots"][1]["position"], Json({-4, 9, 5}));
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["system"], 1);
  EXPECT_EQ(status["mavlink"]["vehicles"][1]["system"], 2);
  EXPECT_EQ(status["ports"].size(), 2U);
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

TEST_F(MavlinkTest, BothEndsGetRadioStatusFromTheLinksState) {
  const RunningGateway gateway({.yaml = kRadios, .robot = ", radio_status: true"});
  introduce(gateway);
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
}

TEST_F(MavlinkTest, SystemsAreCountedWithGapsWrongChecksumsAndRoundTrips) {
  const RunningGateway gateway({.yaml = "netsim: {type: wire}\nmavlink: {}\n"});
  introduce(gateway);
  Speaker vehicle(gateway, 0, 1, 1);
  Speaker ground(gateway, 1, 0, 255);
  vehicle.heartbeat();
  vehicle.skip(3);
  vehicle.heartbeat();
  Bytes wrong = vehicle.frame(0, 50, {0, 0, 0, 0, 2, 3, 0, 4, 3});
  wrong.back() ^= std::byte{1};
  vehicle.send(wrong);
  ground.timesync(0, 4711);
  status_when(gateway.run(), [](const Json& now) { return system_in(now, 255).contains("timesync"); });
  vehicle.timesync(99, 4711);
  const Json status = status_when(gateway.run(), [](const Json& now) {
    const Json system = system_in(now, 255);
    return system.contains("timesync") && system["timesync"]["answers"] == 1;
  });
  const Json system = system_in(status, 1);
  EXPECT_EQ(system["lost"], 3 + 1) << "the sequence of a wrong frame is not believed";
  EXPECT_EQ(system["wrong_crc"], 1);
  EXPECT_EQ(system["frames"], 3);
  EXPECT_EQ(system["robots"], Json::array({"red"}));
  EXPECT_EQ(system["version"], 2);
  EXPECT_GT(system_in(status, 255)["timesync"]["last_ms"].get<double>(), 0);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(ground.receive());
  }
  EXPECT_EQ(ground.receive(), wrong) << "it passes as it came";
  // Another robot with the same id.
  ground.send(vehicle.frame(0, 50, {0, 0, 0, 0, 2, 3, 0, 4, 3}));
  const Json doubled =
      status_when(gateway.run(), [](const Json& now) { return system_in(now, 1)["robots"].size() == 2; });
  EXPECT_EQ(system_in(doubled, 1)["from_other_robots"], 1);
  EXPECT_THAT(gateway.output(), HasSubstr("robot blue sends as system 1, which robot red uses"));
  EXPECT_EQ(doubled["totals"]["injected"], 0);
}

TEST_F(MavlinkTest, RobotsReceiveTheirLinksInJson) {
  const RunningGateway gateway({.yaml = kRadios, .robot = ", rssi_feed: {port: 5005, every: 20ms}"});
  const UdpSocket red(gateway.robot(0), "0.0.0.0", 5005);
  const UdpSocket blue(gateway.robot(1), "0.0.0.0", 5005);
  std::uint64_t window = 0;
  for (int i = 0; i < 5; ++i) {
    const auto datagram = red.receive(kPatience);
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
  EXPECT_TRUE(blue.receive(kPatience));
  const Json status = status_of(gateway.run());
  EXPECT_GE(status["mavlink"]["rssi_feeds"][0]["sent"].get<std::uint64_t>(), 5U);
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>()) << status["totals"];
}

TEST_F(MavlinkTest, TheExampleFliesByOneCommand) {
  const Finished flight =
      run({"env", "HILGATE=" + hilgate_program(), HILGATE_SOURCE_DIR "/examples/mavlink/fly.sh", "--seconds", "5"});
  EXPECT_EQ(flight.status, 0) << flight.output;
  EXPECT_THAT(flight.output, HasSubstr("RADIO_STATUS: heard at -"));
  EXPECT_THAT(flight.output, HasSubstr("feed reports -"));
  EXPECT_THAT(flight.output, HasSubstr("(balanced)"));
}

TEST_F(MavlinkTest, ChangesDoNotMakeVehiclesForgetWhereTheyAre) {
  const RunningGateway gateway({.yaml = kRadios, .robot = ", radio_status: true"});
  introduce(gateway);
  Speaker vehicle(gateway, 0, 1, 1);
  vehicle.local_position(12, 0, 0);
  gateway.status_when([](const GatewayStatus& now) { return !now.positions.empty() && now.positions[0][0] == 12; });
  control_request(control_socket(gateway.run()),
                  {{"command", "set"}, {"values", std::vector<std::string>{"links.red.blue.delay=1ms"}}});
  EXPECT_EQ(gateway.status().positions[0], (std::vector<double>{12, 0, 5}));
  EXPECT_TRUE(vehicle.radio_status());
  try {
    control_request(control_socket(gateway.run()),
                    {{"command", "set"}, {"values", std::vector<std::string>{"mavlink.ports=[9]"}}});
    FAIL() << "what is listened to changed";
  } catch (const std::exception& refused) {
    EXPECT_THAT(refused.what(), HasSubstr("what is heard of MAVLink and DDS"));
  }
}

}  // namespace
}  // namespace hilgate::test
