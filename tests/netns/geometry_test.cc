// SPDX-License-Identifier: Apache-2.0
// What stands between robots, and how they are turned, in whole runs: whoever says where they are.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <asio/io_context.hpp>
#include <asio/local/stream_protocol.hpp>
#include <asio/write.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "gateway/configuration/configuration.h"
#include "gateway/run/control/control_client.h"
#include "tests/netns/gateway_test.h"
#include "tests/netns/running_gateway.h"
#include "tests/netns/simulator_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using Json = nlohmann::ordered_json;

using GeometryTest = GatewayTest;

double snr(const Json& status) {
  return status["links"][0]["snr_db"].get<double>();
}

std::string path_of(const std::string& endpoint) {
  return endpoint.substr(std::string("unix:").size());
}

TEST_F(GeometryTest, ObstaclesOfTheConfigurationStandBetweenRobotsOfAFeed) {
  const SimulatorSockets sockets;
  const RunningGateway gateway(
      {.yaml = fmt::format(
           "physics:\n  type: cornet\n  clock: {}\n  positions: {}\n  materials: {{hedge: {{loss: 20 dB}}}}\n"
           "  obstacles: [{{name: row, box: {{min: [40m, -10m, 0m], max: [60m, 10m, 30m]}}, "
           "material: hedge}}]\nnetsim: {{type: embedded}}\n",
           path_of(sockets.netsim()), path_of(sockets.physics())),
       .robot = ", radio: wifi_11n_2g4_adhoc"});
  asio::io_context io;
  asio::local::stream_protocol::socket bridge(io);
  bridge.connect(path_of(sockets.physics()));
  const auto place = [&bridge](const std::string& robot, double x, double y) {
    asio::write(bridge, asio::buffer(fmt::format(R"({{"name":"{}","x":{},"y":{},"z":10}})", robot, x, y) + "\n"));
  };
  place("red", 0, 50);
  place("blue", 100, 50);
  const Json clear = status_when(gateway.run(), [](const Json& now) {
    return now["robots"][1].contains("position") && now["robots"][1]["position"][0] == 100.0;
  });
  EXPECT_EQ(clear["links"][0]["line_of_sight"], true) << clear["links"][0];
  place("red", 0, 0);
  place("blue", 100, 0);
  const Json blocked =
      status_when(gateway.run(), [](const Json& now) { return now["links"][0]["line_of_sight"] == false; });
  EXPECT_EQ(blocked["links"][0]["line_of_sight"], false) << blocked["links"][0];
  EXPECT_LT(snr(blocked), snr(clear) - 19) << "the hedge takes 20 dB";
}

constexpr const char* kSectorRun = R"(profiles: [.]
physics:
  type: trajectory
  tracks:
    red: [{at: 0s, position: [0m, 0m, 10m]YAW}TURN]
    blue: [{at: 0s, position: [100m, 0m, 10m], yaw: 0 deg}]
netsim: {type: embedded}
)";

// A radio without shadowing, with a sector of 20 dB from front to back.
class SectorRadio {
 public:
  explicit SectorRadio(const std::filesystem::path& folder) : file_(folder / "sector.yaml") {
    std::ifstream source(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
    std::string text{std::istreambuf_iterator<char>(source), {}};
    replace(text, "id: wifi_11n_2g4_adhoc", "id: sector");
    replace(text,
            "  antenna_gain:", "  antenna: {pattern: sector, width: 90 deg, front_to_back: 20 dB}\n  antenna_gain:");
    std::ofstream(file_) << text;
  }
  ~SectorRadio() { std::filesystem::remove(file_); }
  SectorRadio(const SectorRadio&) = delete;
  SectorRadio& operator=(const SectorRadio&) = delete;

  static void replace(std::string& text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  }

 private:
  std::filesystem::path file_;
};

std::string sector_run(const std::string& yaw, const std::string& turn, const std::string& folder) {
  std::string yaml = kSectorRun;
  SectorRadio::replace(yaml, "YAW", yaw);
  SectorRadio::replace(yaml, "TURN", turn);
  SectorRadio::replace(yaml, "[.]", "['" + folder + "']");
  return yaml;
}

TEST_F(GeometryTest, RobotWithItsSectorTurnedAwayIsReceivedLess) {
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("hilgate-sector-{}", ::getpid());
  std::filesystem::create_directory(folder);
  {
    const SectorRadio radio(folder);
    const RunningGateway gateway(
        {.yaml = sector_run(", yaw: 0 deg", ", {at: 4s, position: [0m, 0m, 10m], yaw: 180 deg}", folder.string()),
         .robot = ", radio: sector"});
    const Json front = status_of(gateway.run());
    const Json back = status_when(gateway.run(), [](const Json& now) { return now["window"]["sim_time_s"] > 4.1; });
    EXPECT_GT(back["window"]["sim_time_s"], 4.1);
    EXPECT_NEAR(snr(front) - snr(back), 20, 3) << "it may have begun to turn";
    EXPECT_FALSE(back.contains("antennas"));
    const RunningGateway unknown({.yaml = sector_run("", "", folder.string()), .robot = ", radio: sector"});
    const Json blind = status_when(unknown.run(), [](const Json& now) { return now.contains("antennas"); });
    ASSERT_TRUE(blind.contains("antennas"));
    EXPECT_EQ(blind["antennas"]["unoriented"], Json::array({"red"}));
    EXPECT_NEAR(snr(blind), snr(back) + 12, 1) << "the sector's back is 12 dB below an isotropic antenna";
  }
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace hilgate::test
