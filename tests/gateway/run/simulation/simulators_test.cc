// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/simulators.h"

#include <gtest/gtest.h>

#include <fstream>

#include "gateway/configuration/reader/configuration_reader.h"
#include "tests/loop.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

Configuration configuration_of(const std::string& physics) {
  YamlDocument document = YamlDocument::parse(
      "name: t\n"
      "ports: {p1: {interface: hg-a}, p2: {interface: hg-b}, p3: {interface: hg-c}}\n"
      "robots:\n"
      "  red:\n"
      "    radios:\n"
      "      wifi: {port: p1, mac: 02:00:00:00:00:01, radio: wifi_11n_2g4_adhoc}\n"
      "      sik: {port: p3, mac: 02:00:00:00:00:11, radio: sik_915_64k}\n"
      "  blue: {port: p2, mac: 02:00:00:00:00:02, radio: sik_915_64k}\n"
      "netsim: {type: embedded}\n"
      "physics: " +
          physics + "\n",
      "f.yaml");
  const KnownNames known{[](const auto&) {
                           return std::vector<std::string>{"wifi_11n_2g4_adhoc", "sik_915_64k"};
                         },
                         {"brick"}};
  Configuration configuration = read_configuration(document, known);
  document.finish();
  configuration.profile_paths = {HILGATE_SOURCE_DIR "/rf_profiles/profiles"};
  return configuration;
}

// The scene at the end of the first window.
Scene first_scene(const Configuration& configuration) {
  asio::io_context context;
  const Simulation simulation = make_simulation(configuration);
  Simulators simulators = make_simulators(context, configuration, simulation, {});
  Scene scene;
  simulators.physics->open({.ready = [] {},
                            .ended = [&scene](PhysicsAnswer& answer) { scene = std::move(answer.scene); },
                            .failed = [](const std::string& why) { FAIL() << why; }});
  simulators.physics->begin({.step = {.length = 1ms}});
  simulators.physics->close();
  return scene;
}

TEST(Simulators, RadiosOfARobotAreWhereItsTrackIs) {
  const Scene scene =
      first_scene(configuration_of("{type: trajectory, tracks: {red: [{at: 0s, position: [1m, 2m, 3m]}], blue: [{at: "
                                   "0s, position: [9m, 0m, 0m]}]}}"));
  ASSERT_EQ(scene.robots.size(), 3U);
  EXPECT_EQ(scene.robots[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.robots[1].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.robots[2].position, (Vec3{9, 0, 0}));
}

TEST(Simulators, RadiosOfARobotAreWhereAnotherProgramHasIt) {
  const TempDir dir;
  std::ofstream(dir.file("avens.xml"))
      << "<plugin><FANET><Aircraft XPosition=\"1\" YPosition=\"2\" ZPosition=\"3\"/>"
         "<Aircraft XPosition=\"9\" YPosition=\"0\" ZPosition=\"0\"/></FANET></plugin>";
  const Scene scene = first_scene(
      configuration_of("{type: avens, file: " + dir.file("avens.xml") +
                       ", obstacles: [{name: wall, box: {min: [4m, -9m, 0m], max: [5m, 9m, 9m]}, material: brick}]}"));
  ASSERT_EQ(scene.robots.size(), 3U) << "two aircraft carry three radios";
  EXPECT_EQ(scene.robots[0].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.robots[1].position, (Vec3{1, 2, 3}));
  EXPECT_EQ(scene.robots[2].position, (Vec3{9, 0, 0}));
  EXPECT_FALSE(scene.between(RobotIndex{0}, RobotIndex{2}).line_of_sight);
  EXPECT_FALSE(scene.between(RobotIndex{1}, RobotIndex{2}).line_of_sight);
  EXPECT_TRUE(scene.between(RobotIndex{0}, RobotIndex{1}).line_of_sight);
}

// Each gateway decides frames of its own robots alone, so that a relay would be on the air at two of them.
TEST(Simulators, AMeshAcrossGatewaysExcludesMediaApart) {
  const auto fault = [](const std::string& media, const std::string& second) {
    YamlDocument document = YamlDocument::parse(
        "name: hall\nclock: {source: tai}\n"
        "site:\n  media: " +
            media +
            "\n  gateways: {north: {address: 127.0.0.1}, east: {address: 127.0.0.2}}\n"
            "ports: {p1: {interface: hg-a, gateway: north}, p3: {interface: hg-c, gateway: east}, p2: {interface: "
            "hg-b, "
            "gateway: " +
            second +
            "}}\n"
            "robots:\n"
            "  red: {port: p1, mac: 02:00:00:00:00:01, radio: wifi_11s}\n"
            "  blue: {port: p2, mac: 02:00:00:00:00:02, radio: wifi_11s}\n"
            "netsim: {type: embedded}\n"
            "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], "
            "blue: [{at: 0s, position: [9m, 0m, 1m]}]}}\n",
        "f.yaml");
    const KnownNames known{[](const auto&) { return std::vector<std::string>{"wifi_11s"}; }, {}};
    Configuration configuration = read_configuration(document, known);
    document.finish();
    configuration.profile_paths = {HILGATE_SOURCE_DIR "/rf_profiles/profiles"};
    try {
      make_simulation(configuration);
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault("apart", "east"),
            "site.media: apart excludes the mesh 'wifi-5g-ch36-mesh', whose stations forward one another's frames and "
            "are at several gateways ('red' at north, 'blue' at east); use `media: shared`, or give the mesh of each "
            "gateway a radio profile with a `mac.domain` of its own");
  EXPECT_EQ(fault("apart", "north"), "");
  EXPECT_EQ(fault("shared", "east"), "");
}

}  // namespace
}  // namespace hilgate::test
