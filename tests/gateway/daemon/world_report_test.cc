// SPDX-License-Identifier: Apache-2.0
// Which of the things that a map shows can be moved at run time, and why the others cannot.
#include "gateway/daemon/world_report.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "gateway/configuration/reader/installed_names.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

constexpr const char* kRobots =
    "name: t\nports: {p: {interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01, radio: wifi_11n_2g4_adhoc},\n"
    "         blue: {port: q, mac: 02:00:00:00:00:02, radio: wifi_11n_2g4_adhoc}}\n";
constexpr const char* kWall = "obstacles: [{name: wall, box: {min: [1m, 2m, 0m], max: [3m, 4m, 5m]}, material: metal}]";

nlohmann::ordered_json world_of_text(const std::string& text) {
  const auto file = std::filesystem::temp_directory_path() / ("world_report_" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << kRobots << text;
  const ConfigDocument document = ConfigDocument::load(file);
  const Configuration configuration = document.read(known_names());
  std::filesystem::remove(file);
  return world_report(configuration, document, nullptr);
}

TEST(WorldReport, StaticObjectsCanBeMovedAndTracksCannot) {
  const auto world = world_of_text(std::string("netsim: {type: embedded, access_points: {ap: {position: [7m, 8m, 9m], "
                                               "radio: wifi_11n_2g4_adhoc}}}\n"
                                               "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, "
                                               "2m], yaw: 0.5rad}], blue: [{at: 0s, position: [0m, 0m, 2m]}, {at: 9s, "
                                               "position: [20m, 0m, 2m]}]}, ") +
                                   kWall + "}\n");
  EXPECT_FALSE(world["robots"][0].contains("fixed"));
  EXPECT_EQ(world["robots"][0]["track"][0]["yaw_rad"], 0.5);
  EXPECT_EQ(world["robots"][1]["fixed"], "it moves along 2 waypoints (physics.tracks.blue)");
  EXPECT_FALSE(world["robots"][1]["track"][0].contains("yaw_rad"));
  EXPECT_FALSE(world["obstacles"][0].contains("fixed"));
  EXPECT_EQ(world["access_points"].dump(), R"([{"name":"ap","position_m":[7.0,8.0,9.0]}])");
}

TEST(WorldReport, WithAFileOfPositionsOnlyTheRobotsInTracksCanBeMoved) {
  const auto log = std::filesystem::temp_directory_path() / ("world_report_" + std::to_string(getpid()) + ".log");
  std::ofstream(log) << "0.0 1.0 2.0 10.0 3.0 4.0\n";
  const auto world = world_of_text("netsim: {type: embedded}\nphysics: {type: trajectory, file: " + log.string() +
                                   ", tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}]}}\n");
  std::filesystem::remove(log);
  EXPECT_FALSE(world["robots"][0].contains("fixed"));
  EXPECT_EQ(world["robots"][1]["fixed"], "its positions are in a file (physics.file)");
}

TEST(WorldReport, NothingCanBeMovedWhereOthersHaveThePositions) {
  const auto fixed = [](const std::string& type) {
    const auto world =
        world_of_text("netsim: {type: embedded}\nphysics: {type: " + type + ", " + std::string(kWall) + "}\n");
    EXPECT_EQ(world["robots"][0]["fixed"], world["obstacles"][0]["fixed"]) << type;
    return world["robots"][1]["fixed"].get<std::string>();
  };
  EXPECT_THAT(fixed("native"), HasSubstr("an external simulator has the positions"));
  EXPECT_THAT(fixed("flynetsim"), HasSubstr("another program sends the positions"));
  EXPECT_THAT(fixed("mavlink, start: {red: [0m, 0m, 5m], blue: [30m, 0m, 5m]}"), HasSubstr("MAVLink packets"));
}

TEST(WorldReport, RobotsWithoutPositionsCannotBeMoved) {
  EXPECT_EQ(world_of_text("netsim: {type: wire}\n")["robots"][0]["fixed"],
            "the configuration has no positions (physics)");
}

}  // namespace
}  // namespace hilgate::test
