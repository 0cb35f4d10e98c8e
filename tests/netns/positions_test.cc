// SPDX-License-Identifier: Apache-2.0
// Positions that the real gateway sends: to a robot, whose gpsd reads them, and to a program of Cursor on Target; and
// its radios to a simulation of DIS, for which tshark reads them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <tinyxml2.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/support/udp_socket.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using Json = nlohmann::ordered_json;

using PositionsTest = GatewayTest;

// red goes north with 10 m/s, 100 m east of the origin; blue stands on it.
constexpr const char* kWorld =
    "window: 5ms\nnetsim: {type: wire}\n"
    "physics:\n"
    "  type: trajectory\n"
    "  origin: {latitude: 47.3977, longitude: 8.5456, altitude: 488m}\n"
    "  tracks:\n"
    "    red: [{at: 0s, position: [100m, 0m, 20m]}, {at: 1000s, position: [100m, 10000m, 20m]}]\n"
    "    blue: [{at: 0s, position: [0m, 0m, 0m]}]\n";

// gpsd's own objects of a class, of gpspipe's output.
std::vector<Json> gpsd_objects(const std::string& output, const std::string& kind) {
  std::vector<Json> objects;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const Json object = Json::parse(line, nullptr, false);
    if (object.is_object() && object.value("class", "") == kind) {
      objects.push_back(object);
    }
  }
  return objects;
}

TEST_F(PositionsTest, GpsdOfARobotHasAFixInThreeDimensions) {
  const RunningGateway gateway({.yaml = kWorld, .robot = ", gnss: {port: 10110, rate: 5 Hz}"});
  const NetNs& red = gateway.robot(0);
  red.run_ok("ip link set lo up");
  const auto gpsd = red.start({"gpsd", "-N", "-n", "-S", "2950", "udp://0.0.0.0:10110"});
  const Finished pipe =
      red.run("for i in $(seq 100); do gpspipe -w -x 10 -n 40 localhost:2950 && break; sleep 0.1; done");
  ASSERT_EQ(pipe.status, 0) << pipe.output << gpsd->output();
  std::vector<Json> fixes = gpsd_objects(pipe.output, "TPV");
  std::erase_if(fixes, [](const Json& fix) { return fix.value("mode", 0) < 3 || !fix.contains("track"); });
  ASSERT_GE(fixes.size(), 3U) << pipe.output;
  const Json& fix = fixes.back();
  EXPECT_GT(fix["lat"].get<double>(), 47.3977);
  EXPECT_LT(fix["lat"].get<double>(), 47.41);
  EXPECT_NEAR(fix["lon"].get<double>(), 8.5456 + 100 / 75'420.0, 2e-6) << "100 m east";
  EXPECT_NEAR(fix["altMSL"].get<double>(), 508, 0.1);
  EXPECT_NEAR(fix["speed"].get<double>(), 10, 0.3);
  EXPECT_NEAR(fix["lat"].get<double>() - fixes.front()["lat"].get<double>(),
              10.0 * static_cast<double>(fixes.size() - 1) / 5 / 111'180, 2e-5)
      << "2 m a fix";
  const Json status = status_of(gateway.run());
  ASSERT_EQ(status["gnss"].size(), 2U);
  EXPECT_GE(status["gnss"][0]["sent"].get<std::uint64_t>(), 3U);
  EXPECT_EQ(status["gnss"][0]["refused"], 0);
  EXPECT_EQ(status["gnss"][0]["error_m"], (Json{0.0, 0.0, 0.0}));
  EXPECT_TRUE(status["totals"]["balanced"].get<bool>()) << status["totals"];
  const Finished text = run({hilgate_program(), "status", gateway.run()});
  EXPECT_THAT(text.output, HasSubstr("GNSS to red: "));
}

TEST_F(PositionsTest, ReceiversOfCursorOnTargetSeeEveryRobot) {
  const RunningGateway gateway(
      {.yaml = std::string(kWorld) + "cot: {to: 127.0.0.1, port: 6970, every: 100ms, stale: 3s,\n"
                                     "  robots: {red: {type: a-f-A-M-H-Q, callsign: \"Red & <1>\", uid: drone-1}}}\n",
       .before = "ip link set lo up"});
  const UdpSocket receiver(gateway.lab().gateway(), "127.0.0.1", 6970);
  std::map<std::string, std::string> callsigns;
  double course = -1;
  for (int i = 0; i < 40 && (callsigns.size() < 2 || course < 0); ++i) {
    const auto datagram = receiver.receive(20s);
    ASSERT_TRUE(datagram);
    tinyxml2::XMLDocument document;
    ASSERT_EQ(document.Parse(reinterpret_cast<const char*>(datagram->data()), datagram->size()), tinyxml2::XML_SUCCESS);
    const tinyxml2::XMLElement* const event = document.FirstChildElement("event");
    ASSERT_NE(event, nullptr);
    const std::string uid = event->Attribute("uid");
    callsigns[uid] = event->FirstChildElement("detail")->FirstChildElement("contact")->Attribute("callsign");
    EXPECT_STREQ(event->Attribute("type"), uid == "drone-1" ? "a-f-A-M-H-Q" : "a-f-G");
    const tinyxml2::XMLElement* const point = event->FirstChildElement("point");
    EXPECT_NEAR(point->DoubleAttribute("hae"), uid == "drone-1" ? 508 : 488, 1);
    const tinyxml2::XMLElement* const track = event->FirstChildElement("detail")->FirstChildElement("track");
    if (uid == "drone-1" && track != nullptr) {
      course = track->DoubleAttribute("course");
      EXPECT_NEAR(track->DoubleAttribute("speed"), 10, 0.5);
    }
  }
  EXPECT_THAT(callsigns, testing::UnorderedElementsAre(testing::Pair("drone-1", "Red & <1>"),
                                                       testing::Pair("hilgate." + gateway.run() + ".blue", "blue")));
  EXPECT_NEAR(std::remainder(course, 360), 0, 0.5);
  const Json status = status_of(gateway.run());
  EXPECT_EQ(status["cot"]["to"], "127.0.0.1:6970");
  EXPECT_GE(status["cot"]["sent"].get<std::uint64_t>(), 4U);
  EXPECT_EQ(status["cot"]["refused"], 0);
}

// The fields of datagrams as tshark's dissector of DIS reads them, a line each, between semicolons.
std::string read_by_tshark(const std::vector<Bytes>& datagrams, const std::string& fields) {
  std::string dump;
  for (const Bytes& datagram : datagrams) {
    for (std::size_t i = 0; i < datagram.size(); ++i) {
      dump += fmt::format("{}{:02x}", i % 16 == 0 ? fmt::format("\n{:06x} ", i) : " ",
                          std::to_integer<unsigned>(datagram[i]));
    }
  }
  return run({"sh", "-c",
              fmt::format("printf '%s\\n' \"$0\" | text2pcap -q -u 4000,3000 - - 2>/dev/null | "
                          "tshark -r - -d udp.port==3000,dis -T fields -E separator=';' {} 2>/dev/null",
                          fields),
              dump})
      .output;
}

TEST_F(PositionsTest, RadiosAreTransmittersAndReceiversOfDis) {
  const RunningGateway gateway({.yaml = std::string("window: 5ms\nnetsim: {type: embedded}\n") +
                                        std::string(kWorld).substr(std::string(kWorld).find("physics:")) +
                                        "dis: {to: 127.0.0.1, port: 3000, exercise: 9, every: 100ms, application: 2,\n"
                                        "  robots: {red: {entity: \"5:6:7\"}}}\n",
                                .robot = ", radio: wifi_11n_2g4_adhoc",
                                .before = "ip link set lo up"});
  const UdpSocket receiver(gateway.lab().gateway(), "127.0.0.1", 3000);
  gateway.robot(0).run_ok("ping -i 0.05 -c 40 -W 1 10.77.0.2");
  std::vector<Bytes> datagrams;
  while (const auto datagram = receiver.receive(0ms)) {
    datagrams.push_back(*datagram);
  }
  const std::string said = read_by_tshark(
      datagrams,
      "-e dis.pdu_type -e dis.radio.transmit_state -e dis.radio.receive_state -e dis.proto_ver -e dis.exer_id "
      "-e dis.entity_id_site -e dis.entity_id_application -e dis.entity_id_entity -e dis.radio.radio_id "
      "-e dis.radio.transmitter_radio_id -e dis.radio.frequency -e dis.transmit_freq_bandwidth "
      "-e dis.radio.mod_type.major -e _ws.malformed -e _ws.expert");
  EXPECT_THAT(said, HasSubstr("25;2;;7;9;5;6;7;1;;2412000000;2e+07;2;;\n")) << datagrams.size();
  EXPECT_THAT(said, HasSubstr("25;2;;7;9;1;2;2;1;;2412000000;2e+07;2;;\n")) << "it answers";
  EXPECT_THAT(said, HasSubstr("27;;2;7;9;1,5;2,6;2,7;1;1;;;;;\n")) << "blue receives red";
  EXPECT_THAT(said, HasSubstr("27;;2;7;9;5,1;6,2;7,2;1;1;;;;;\n"));
  const Json status = status_of(gateway.run());
  EXPECT_EQ(status["dis"]["to"], "127.0.0.1:3000");
  EXPECT_GE(status["dis"]["transmitters"].get<std::uint64_t>(), 2U);
  EXPECT_GE(status["dis"]["receivers"].get<std::uint64_t>(), 2U);
  EXPECT_EQ(status["dis"]["refused"], 0);
  EXPECT_THAT(run({hilgate_program(), "status", gateway.run()}).output, HasSubstr("DIS to 127.0.0.1:3000: "));
}

}  // namespace
}  // namespace hilgate::test
