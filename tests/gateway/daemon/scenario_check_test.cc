// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/scenario_check.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/config_file.h"
#include "gateway/configuration/reader/configuration_reader.h"

namespace hilgate::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const KnownNames kNobodyElse{[](const auto&) { return std::vector<std::string>{}; }, {}};

constexpr const char* kWired =
    "name: t\n"
    "netsim: {type: wire}\n"
    "ports: {p: {interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01}, blue: {port: q, mac: 02:00:00:00:00:02}}\n";

/// Files of one test.
class ScenarioCheck : public testing::Test {
 protected:
  ScenarioCheck() { std::filesystem::create_directories(folder_); }
  ~ScenarioCheck() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  std::vector<std::string> checked(const std::string& name = "c.yaml") const {
    std::vector<std::string> lines;
    try {
      check_scenario(load_configuration(folder_ / name, kNobodyElse), kNobodyElse);
    } catch (const ConfigError& error) {
      for (const Fault& fault : error.faults()) {
        lines.push_back(fault.line_text().substr(folder_.string().size() + 1));
      }
    }
    return lines;
  }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("hgt-scenario-" + std::to_string(::getpid()));
};

TEST_F(ScenarioCheck, AcceptsSettableValuesInSequence) {
  write("c.yaml", std::string(kWired) +
                      "scenario:\n"
                      "  steps:\n"
                      "    - {at: 2s, set: {links.red.blue.delay: 2ms}, for: 1s}\n"
                      "    - {at: 1s, set: {window: 2ms, 'links.*.*.loss': 5 %}}\n"
                      "    - {at: 3s, remove: ['links.*.*.loss']}\n");
  EXPECT_THAT(checked(), IsEmpty());
}

TEST_F(ScenarioCheck, NamesTheStepThatSetsAnInvalidValue) {
  write("c.yaml", std::string(kWired) +
                      "scenario:\n"
                      "  steps:\n"
                      "    - {at: 1s, set: {links.red.green.loss: 5 %}}\n"
                      "    - {at: 1s, set: {seed: 2}}\n"
                      "    - {at: 1s, set: {links.red.blue.los: 5 %}}\n"
                      "    - {at: 1s, ramp: {links.red.blue.loss: {from: 0 %, to: 200 %}}, for: 1s}\n");
  EXPECT_THAT(checked(), ElementsAre(HasSubstr("c.yaml:7: links.red.green.loss: 'green' is not a robot"),
                                     HasSubstr("c.yaml:8: seed cannot change at run time"),
                                     HasSubstr("c.yaml:9: links.red.blue.los: unknown key 'los'; did you mean 'loss'?"),
                                     HasSubstr("c.yaml:10: links.red.blue.loss: '200 %'")));
}

// Steps are read without the waypoints that do not concern them.
class ScenarioCheckOfTracks : public ScenarioCheck {
 protected:
  ScenarioCheckOfTracks() { write("t.csv", "t_s,robot,x_m,y_m,z_m\n0,red,1,2,3\n5,red,2,2,3\n0,blue,4,5,6\n"); }
  void write_steps(const std::string& tracks, const std::string& steps) const {
    write("c.yaml", std::string(kWired) + "physics: {type: trajectory, " + tracks + "}\nscenario:\n  steps:\n" + steps);
  }
};

TEST_F(ScenarioCheckOfTracks, AcceptsStepsBeforeAndAfterATrack) {
  write_steps("tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], blue: [{at: 0s, position: [0m, 0m, 1m]}]}",
              "    - {at: 1s, set: {links.red.blue.delay: 2ms}}\n"
              "    - {at: 2s, set: {physics.tracks.red: [{at: 0s, position: [0m, 0m, 2m]}]}, for: 1s}\n"
              "    - {at: 4s, set: {physics.tracks.red: [{at: 0s, position: [0m, 0m, 2m]}]}}\n"
              "    - {at: 5s, set: {links.red.blue.loss: 2 %}}\n"
              "    - {at: 6s, remove: [links.red.blue.loss]}\n"
              "    - {at: 7s, set: {window: 20ms}}\n"
              "    - {at: 8s, set: {links.red.blue.loss: 3 %}}\n");
  EXPECT_THAT(checked(), IsEmpty());
}

TEST_F(ScenarioCheckOfTracks, ReadsThemForStepsThatDependOnThem) {
  write_steps("file: t.csv",
              "    - {at: 1s, set: {links.red.blue.delay: 2ms}}\n"
              "    - {at: 2s, set: {physics.tracks.red: [{at: 0s, position: [0m, 0m, 1m]}]}}\n"
              "    - {at: 3s, set: {physics.file: none.csv}}\n"
              "    - {at: 4s, set: {robots.green: {port: q, mac: '02:00:00:00:00:03'}}}\n"
              "    - {at: 5s, set: {physics.time: noon}}\n");
  EXPECT_THAT(checked(),
              ElementsAre(HasSubstr("c.yaml:9: unknown robot 'red'"), HasSubstr("c.yaml:9: "), HasSubstr("c.yaml:10: "),
                          HasSubstr("c.yaml:11: "), HasSubstr("c.yaml:12: physics.time: ")));
}

TEST_F(ScenarioCheckOfTracks, NamesTheStepWithAFaultInATrack) {
  write_steps(
      "tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], blue: [{at: 0s, position: [0m, 0m, 1m]}]}",
      "    - {at: 1s, set: {physics.tracks.red: [{at: 0s, position: [0m, 0m]}]}}\n"
      "    - {at: 2s, set: {physics.tracks.green: [{at: 0s, position: [0m, 0m, 1m]}]}}\n"
      "    - {at: 3s, set: {physics.tracks.blue: [{at: 2s, position: [0m, 0m, 1m]}, {at: 1s, position: [0m, 0m, "
      "1m]}]}}\n");
  EXPECT_THAT(checked(), ElementsAre(HasSubstr("c.yaml:8: physics.tracks.red[0].position: has 2 numbers"),
                                     HasSubstr("c.yaml:9: physics.tracks.green: 'green' is not a robot"),
                                     HasSubstr("c.yaml:10: physics.tracks.blue[1].at: '1s' is not later")));
}

TEST_F(ScenarioCheckOfTracks, AStepThatTakesATrackAwayMissesIt) {
  write_steps("tracks: {red: [{at: 0s, position: [0m, 0m, 1m]}], blue: [{at: 0s, position: [0m, 0m, 1m]}]}",
              "    - {at: 1s, set: {physics.tracks.red: [{at: 0s, position: [0m, 0m, 2m]}]}}\n"
              "    - {at: 2s, remove: [physics.tracks.red]}\n");
  EXPECT_THAT(checked(), ElementsAre(HasSubstr("c.yaml:9: physics.tracks: misses a track for robot 'red'")));
}

TEST_F(ScenarioCheckOfTracks, ConfigurationsAreThoseThatMayNameFiles) {
  write_steps("file: t.csv",
              "    - {at: 1s, set: {links.red.blue.delay: 2ms}}\n"
              "    - {at: 3s, set: {physics.file: u.csv}}\n"
              "    - {at: 4s, set: {links.red.blue.loss: 2 %}}\n");
  std::filesystem::copy_file(folder_ / "t.csv", folder_ / "u.csv");
  const std::vector<Configuration> all =
      scenario_configurations(load_configuration(folder_ / "c.yaml", kNobodyElse), kNobodyElse);
  ASSERT_EQ(all.size(), 1U);
  ASSERT_EQ(all[0].references.size(), 1U);
  EXPECT_EQ(all[0].references[0].name, "u.csv");
  EXPECT_EQ(all[0].links.size(), 1U) << "that of the step before";
}

TEST_F(ScenarioCheck, AFileOfItsOwnHasItsOwnLines) {
  write("c.yaml", std::string(kWired) + "scenario: s.yaml\n");
  write("s.yaml", "end: 1s\nexpect:\n  - {reachable: always, to: green}\n");
  EXPECT_THAT(checked(), ElementsAre(HasSubstr("s.yaml:3: expect[0].to: 'green' is not a robot")));
  write("s.yaml", "end: 1s\nexpect:\n  - {reachable: always, to: blue}\n");
  EXPECT_THAT(checked(), IsEmpty());
  write("c.yaml", std::string(kWired) + "scenario: none.yaml\n");
  EXPECT_THAT(checked(), ElementsAre(HasSubstr("none.yaml")));
}

}  // namespace
}  // namespace hilgate::test
