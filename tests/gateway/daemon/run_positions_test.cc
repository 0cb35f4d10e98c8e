// SPDX-License-Identifier: Apache-2.0
// Where robots are, how they are turned and what stands between them, in whole runs: by tracks, by a feed, and by what
// vehicles say themselves in MAVLink, which the gateway hears as it passes.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>

#include "physics_link/mavlink/messages.h"
#include "tests/gateway/daemon/running_daemon.h"
#include "tests/support/mavlink_writer.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Json = nlohmann::json;

double snr_of(const Json& status) {
  return status.at("links").at(0).at("snr_db").get<double>();
}
Json place_of(const Json& status, std::size_t robot) {
  return status.at("robots").at(robot).value("position", Json());
}

// ---- geometry ----

TEST(RunPositions, ObstaclesOfTheConfigurationStandBetweenRobotsOfAFeed) {
  RunningDaemon daemon(robots_text({"red", "blue"}, ", radio: wifi_11n_2g4_adhoc") +
                       "physics:\n  type: cornet\n  clock: FOLDER/clock\n  positions: FOLDER/positions\n"
                       "  materials: {hedge: {loss: 20 dB}}\n"
                       "  obstacles: [{name: row, box: {min: [40m, -10m, 0m], max: [60m, 10m, 30m]}, "
                       "material: hedge}]\nnetsim: {type: embedded}\n");
  const LineSender bridge(daemon.file("positions"));
  const auto place = [&bridge](const std::string& robot, double x, double y) {
    bridge.send(fmt::format(R"({{"name":"{}","x":{},"y":{},"z":10}})", robot, x, y));
  };
  place("red", 0, 50);
  place("blue", 100, 50);
  const Json clear = daemon.status_when([](const Json& now) { return place_of(now, 1) == Json({100, 50, 10}); });
  EXPECT_EQ(clear["links"][0]["line_of_sight"], true) << clear["links"][0];
  place("red", 0, 0);
  place("blue", 100, 0);
  const Json blocked = daemon.status_when([](const Json& now) { return now["links"][0]["line_of_sight"] == false; });
  EXPECT_EQ(blocked["links"][0]["line_of_sight"], false) << blocked["links"][0];
  EXPECT_LT(snr_of(blocked), snr_of(clear) - 19) << "the hedge takes 20 dB";
}

void replace_in(std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

// A radio with a sector of 20 dB from front to back.
class SectorRadio {
 public:
  SectorRadio() {
    std::ifstream source(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
    std::string text{std::istreambuf_iterator<char>(source), {}};
    replace_in(text, "id: wifi_11n_2g4_adhoc", "id: sector");
    replace_in(text,
               "  antenna_gain:", "  antenna: {pattern: sector, width: 90 deg, front_to_back: 20 dB}\n  antenna_gain:");
    std::ofstream(folder_.file("sector.yaml")) << text;
  }
  [[nodiscard]] std::string run(const std::string& yaw, const std::string& turn) const {
    return robots_text({"red", "blue"}, ", radio: sector") +
           fmt::format(
               "profiles: ['{}']\nphysics:\n  type: trajectory\n  tracks:\n"
               "    red: [{{at: 0s, position: [0m, 0m, 10m]{}}}{}]\n"
               "    blue: [{{at: 0s, position: [100m, 0m, 10m], yaw: 0 deg}}]\nnetsim: {{type: embedded}}\n",
               folder_.file(""), yaw, turn);
  }

 private:
  TempDir folder_;
};

TEST(RunPositions, RobotWithItsSectorTurnedAwayIsReceivedLess) {
  const SectorRadio radio;
  double back = 0;
  {
    RunningDaemon daemon(radio.run(", yaw: 0 deg", ", {at: 1s, position: [0m, 0m, 10m], yaw: 180 deg}"));
    daemon.pass(10ms);
    const double front = snr_of(daemon.status());
    const Json turned = daemon.status_when([](const Json& now) { return now["window"]["sim_time_s"] > 1; });
    back = snr_of(turned);
    EXPECT_NEAR(front - back, 20, 1);
    EXPECT_FALSE(turned.contains("antennas"));
  }
  RunningDaemon unknown(radio.run("", ""));
  const Json blind = unknown.status_when([](const Json& now) { return now.contains("antennas"); });
  ASSERT_TRUE(blind.contains("antennas"));
  EXPECT_EQ(blind["antennas"]["unoriented"], Json::array({"red"}));
  EXPECT_NEAR(snr_of(blind), back + 12, 1) << "the sector's back is 12 dB below an isotropic antenna";
}

// ---- vehicles ----

constexpr std::uint16_t kMavlinkPort = 14550;
constexpr const char* kFlyingRun =
    "window: 5ms\nnetsim: {type: embedded}\n"
    "physics: {type: mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m]}}\n";
const std::string kRadioKey = ", radio: wifi_11n_2g4_adhoc";

/// Somebody at a port who speaks MAVLink to one other robot; robots by their numbers in packets.h.
class MavlinkSpeaker {
 public:
  MavlinkSpeaker(RunningDaemon& daemon, std::size_t port, unsigned robot, unsigned peer, std::uint8_t system)
      : daemon_(daemon), port_(port), robot_(robot), peer_(peer), writer_(system) {}

  MavlinkWriter& writer() { return writer_; }
  void heartbeat() { send(writer_.heartbeat()); }
  void local_position(float east, float north, float up) { send(writer_.local_position(east, north, up)); }
  void timesync(std::int64_t tc1, std::int64_t ts1) {
    std::vector<std::uint8_t> payload(16);
    std::memcpy(payload.data(), &tc1, 8);
    std::memcpy(payload.data() + 8, &ts1, 8);
    send(writer_.message(111, 34, payload));
  }
  /// The Ethernet frame with these bytes of MAVLink.
  [[nodiscard]] Bytes frame(const Bytes& data) const {
    return ip_frame({.destination = mac_of(peer_), .source = mac_of(robot_), .tags = {}},
                    {.source = ipv4_of(robot_).text(), .destination = ipv4_of(peer_).text()}, 17,
                    udp(data, kMavlinkPort, kMavlinkPort));
  }
  void send(const Bytes& data) {
    daemon_.arrive(port_, frame(data));
    daemon_.pass(1ms);
  }

 private:
  RunningDaemon& daemon_;
  std::size_t port_;
  unsigned robot_;
  unsigned peer_;
  MavlinkWriter writer_;
};

Json system_in(const Json& status, int system) {
  for (const Json& one : status["mavlink"]["systems"]) {
    if (one["system"] == system) {
      return one;
    }
  }
  return Json::object();
}

TEST(RunPositions, VehiclesAreAtTheirReportedPositions) {
  RunningDaemon daemon(robots_text({"red", "blue"}, kRadioKey) + kFlyingRun);
  MavlinkSpeaker vehicle(daemon, 0, 1, 2, 1);
  daemon.pass(10ms);
  EXPECT_EQ(place_of(daemon.status(), 0), Json({0, 0, 5}));
  vehicle.local_position(12, -3, 20);
  const Json moved = daemon.status_when([](const Json& now) { return place_of(now, 0).at(0) != 0; });
  EXPECT_EQ(place_of(moved, 0), Json({12, -3, 25}));
  EXPECT_EQ(place_of(moved, 1), Json({30, 0, 5}));
  vehicle.local_position(NAN, 0, 0);
  vehicle.local_position(500, 0, 0);
  const Json status = daemon.status_when([](const Json& now) { return now["mavlink"]["vehicles"][0]["jumps"] == 1; });
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["no_numbers"], 1);
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["jumps"], 1);
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["positions"], 2);
  EXPECT_EQ(status["mavlink"]["missed"], 0);
  EXPECT_EQ(daemon.count_in_log("robot red jumped"), 1U);
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>());
}

// The vehicle's autopilot sends by both of its radios.
TEST(RunPositions, AVehicleIsHeardByTheRadioThatIsLeft) {
  const auto attached = [](const std::string& port, unsigned n) {
    return fmt::format("{{port: {}, mac: \"{}\", ip: {}}}", port, mac_of(n).text(), ipv4_of(n).text());
  };
  RunningDaemon daemon(fmt::format(
      "window: 5ms\nnetsim: {{type: wire}}\nphysics: {{type: mavlink, start: {{red: [0m, 0m, 5m], base: [0m, 0m, "
      "0m]}}}}\nports: {{w: {{interface: hgr-w}}, s: {{interface: hgr-s}}, b: {{interface: hgr-b}}}}\n"
      "robots:\n  red: {{system_id: 1, radios: {{wifi: {}, sik: {}}}}}\n  base: {}\n",
      attached("w", 1), attached("s", 2), attached("b", 3)));
  MavlinkSpeaker by_wifi(daemon, 0, 1, 3, 1);
  MavlinkSpeaker by_sik(daemon, 1, 2, 3, 1);
  float east = 0;
  // The vehicle flies a metre on, and so many of its two messages are received.
  const auto received = [&] {
    daemon.take_sent();
    east += 1;
    by_wifi.local_position(east, 0, 0);
    by_sik.local_position(east, 0, 0);
    const Json there = daemon.status_when([&](const Json& now) { return place_of(now, 0) == Json({east, 0, 5}); });
    EXPECT_EQ(place_of(there, 0), Json({east, 0, 5}));
    EXPECT_EQ(place_of(there, 0), place_of(there, 1)) << "one body";
    return daemon.take_sent().size();
  };
  const auto lose = [&daemon](const std::string& radio, const std::string& loss) {
    daemon.set({fmt::format("links.red.{}.base.loss={}", radio, loss)});
  };
  EXPECT_EQ(received(), 2U);
  lose("wifi", "100 %");
  EXPECT_EQ(received(), 1U);
  lose("wifi", "");
  lose("sik", "100 %");
  EXPECT_EQ(received(), 1U);
  lose("sik", "");
  EXPECT_EQ(received(), 2U);
}

std::string radio_line(const std::string& name, const std::string& port, unsigned n, const std::string& keys = {}) {
  return fmt::format("  {}: {{port: {}, mac: \"{}\", ip: {}{}{}}}\n", name, port, mac_of(n).text(), ipv4_of(n).text(),
                     kRadioKey, keys);
}

TEST(RunPositions, ARouterPlacesSeveralVehiclesEachByItsSystem) {
  RunningDaemon daemon("ports: {a: {interface: hgr-a}, b: {interface: hgr-b}}\nrobots:\n" +
                       radio_line("red", "a", 1, ", system_id: 1") +
                       radio_line("blue", "b", 2, ", system_id: 2, positions_from: red") + kFlyingRun);
  MavlinkSpeaker router(daemon, 0, 1, 2, 1);
  router.local_position(12, -3, 20);
  router.writer().write_as(2);
  router.local_position(7, 0, 1);
  router.writer().write_as(3);
  router.local_position(99, 0, 1);
  const Json status = daemon.status_when([](const Json& now) {
    return now["mavlink"]["vehicles"][0]["other_system"] == 1 && place_of(now, 1) == Json({37, 0, 6});
  });
  EXPECT_EQ(place_of(status, 0), Json({12, -3, 25}));
  EXPECT_EQ(place_of(status, 1), Json({37, 0, 6}));
  EXPECT_EQ(status["mavlink"]["vehicles"][1]["system"], 2);
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["other_system"], 1);
}

// Vehicles with a MAC address each, behind a switch that keeps them apart.
TEST(RunPositions, VehiclesOnOnePortHaveThePositionsOfTheirSystems) {
  RunningDaemon daemon(
      "window: 5ms\nnetsim: {type: embedded}\nphysics: {type: mavlink, start: {one: [0m, 0m, 5m], two: "
      "[0m, 9m, 5m], base: [30m, 0m, 5m]}}\n"
      "ports: {s: {interface: hgr-s, isolated: true}, b: {interface: hgr-b}}\nrobots:\n" +
      radio_line("one", "s", 1) + radio_line("two", "s", 2) + radio_line("base", "b", 3));
  MavlinkSpeaker(daemon, 0, 1, 3, 1).local_position(12, 0, 0);
  MavlinkSpeaker(daemon, 0, 2, 3, 2).local_position(-4, 0, 0);
  const Json status = daemon.status_when([](const Json& now) {
    return place_of(now, 0) == Json({12, 0, 5}) && place_of(now, 1) == Json({-4, 9, 5});
  });
  EXPECT_EQ(place_of(status, 0), Json({12, 0, 5}));
  EXPECT_EQ(place_of(status, 1), Json({-4, 9, 5}));
  EXPECT_EQ(status["mavlink"]["vehicles"][0]["system"], 1);
  EXPECT_EQ(status["mavlink"]["vehicles"][1]["system"], 2);
  EXPECT_EQ(status["ports"].size(), 2U);
}

TEST(RunPositions, ChangesDoNotMakeVehiclesForgetWhereTheyAre) {
  RunningDaemon daemon(robots_text({"red", "blue"}, kRadioKey + ", radio_status: true") + kFlyingRun);
  MavlinkSpeaker vehicle(daemon, 0, 1, 2, 1);
  vehicle.local_position(12, 0, 0);
  daemon.status_when([](const Json& now) { return place_of(now, 0) == Json({12, 0, 5}); });
  daemon.set({"links.red.blue.delay=1ms"});
  EXPECT_EQ(place_of(daemon.status(), 0), Json({12, 0, 5}));
  vehicle.heartbeat();
  const Json reported =
      daemon.status_when([](const Json& now) { return now["totals"]["injected"].get<std::uint64_t>() >= 2; });
  EXPECT_GE(reported["totals"]["injected"], 2) << "RADIO_STATUS to both ends";
  EXPECT_THAT(daemon.refusal({"mavlink.ports=[9]"}), HasSubstr("what is heard of MAVLink and DDS"));
}

TEST(RunPositions, SystemsAreCountedWithGapsWrongChecksumsAndRoundTrips) {
  RunningDaemon daemon(robots_text({"red", "blue"}) + "netsim: {type: wire}\nmavlink: {}\n");
  MavlinkSpeaker vehicle(daemon, 0, 1, 2, 1);
  MavlinkSpeaker ground(daemon, 1, 2, 1, 255);
  vehicle.heartbeat();
  vehicle.writer().skip(3);
  vehicle.heartbeat();
  Bytes wrong = vehicle.writer().heartbeat();
  wrong.back() ^= std::byte{1};
  daemon.take_sent();
  vehicle.send(wrong);
  const auto sent = daemon.take_sent();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent.front().bytes, vehicle.frame(wrong)) << "it passes as it came";
  ground.timesync(0, 4711);
  daemon.pass(20ms);
  vehicle.timesync(99, 4711);
  const Json status = daemon.status_when([](const Json& now) {
    const Json system = system_in(now, 255);
    return system.contains("timesync") && system["timesync"]["answers"] == 1;
  });
  const Json system = system_in(status, 1);
  EXPECT_EQ(system["lost"], 3 + 1) << "the sequence of a wrong frame is not believed";
  EXPECT_EQ(system["wrong_crc"], 1);
  EXPECT_EQ(system["frames"], 3);
  EXPECT_EQ(system["robots"], Json::array({"red"}));
  EXPECT_EQ(system["version"], 2);
  EXPECT_NEAR(system_in(status, 255)["timesync"]["last_ms"].get<double>(), 21, 1);
  // Another robot with the same id.
  ground.send(vehicle.writer().heartbeat());
  const Json doubled = daemon.status_when([](const Json& now) { return system_in(now, 1)["robots"].size() == 2; });
  EXPECT_EQ(system_in(doubled, 1)["from_other_robots"], 1);
  EXPECT_EQ(daemon.count_in_log("robot blue sends as system 1, which robot red uses"), 1U) << daemon.log();
  EXPECT_EQ(doubled["totals"]["injected"], 0);
}

}  // namespace
}  // namespace hilgate::test
