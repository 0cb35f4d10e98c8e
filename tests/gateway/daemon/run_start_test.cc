// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/run_start.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "config/config_file.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/simulation/simulation.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

// Blue drives, so that its shadowing and fading change.
constexpr const char* kStartedRobots =
    "name: t\n"
    "netsim: {type: embedded}\n"
    "ports: {p: {interface: hg-p}, q: {interface: hg-q}}\n"
    "robots: {red: {port: p, mac: 02:00:00:00:00:01, radio: wifi_11ac_80},\n"
    "         blue: {port: q, mac: 02:00:00:00:00:02, radio: wifi_11ac_80}}\n";
constexpr const char* kDriving =
    "physics: {type: trajectory, tracks: {red: [{at: 0s, position: [0m, 0m, 2m]}], blue: [{at: 0s, position: [20m, 0m, "
    "2m]}, {at: 9s, position: [200m, 0m, 2m]}]}}\n";

class RunStartTest : public testing::Test {
 protected:
  ~RunStartTest() override { std::filesystem::remove(file_); }

  Configuration configuration(const std::string& scenario, const std::string& physics = kDriving) const {
    std::ofstream(file_) << kStartedRobots << physics << scenario;
    return load_configuration(file_, known_names());
  }
  std::string refused(Nanoseconds from, const std::string& scenario, const std::string& physics = kDriving) const {
    try {
      static_cast<void>(start_at(configuration(scenario, physics), from, known_names()));
    } catch (const ConfigError& error) {
      return error.faults().front().path + " " + error.faults().front().text;
    }
    return "not refused";
  }

  const std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("hgt-start-" + std::to_string(::getpid()) + ".yaml");
};

TEST_F(RunStartTest, HasTheAirAsItIsAfterAllWindowsBefore) {
  const Configuration given = configuration("scenario: {end: 5s, steps: [{at: 1s, mark: here}]}\n");
  const RunStart start = start_at(given, 1999500us, known_names());
  EXPECT_EQ(start.configuration.begin.at, SimTime{2s}) << "the first window from there on";
  EXPECT_EQ(start.configuration.begin.window, 2000U);
  const LinkTable there = links_at(SimTime{2s}, start.simulation, 2);
  const Simulation played = make_simulation(given);
  LinkTable expected;
  for (SimTime at{}; at <= SimTime{2s}; at += 1ms) {
    expected = links_at(at, played, 2);
  }
  const LinkTable jumped = links_at(SimTime{2s}, make_simulation(given), 2);
  for (const std::size_t link : {1, 2}) {
    EXPECT_EQ(there.links[link].rssi_dbm, expected.links[link].rssi_dbm);
    EXPECT_EQ(there.links[link].unicast.per_bit, expected.links[link].unicast.per_bit);
    EXPECT_EQ(there.links[link].delay, expected.links[link].delay);
    EXPECT_NE(there.links[link].rssi_dbm, jumped.links[link].rssi_dbm) << "what no one went through is another draw";
  }
}

TEST_F(RunStartTest, ContainsValuesOfStepsThatAreInForce) {
  const RunStart start = start_at(configuration("scenario:\n"
                                                "  end: 5s\n"
                                                "  steps:\n"
                                                "    - {at: 1s, set: {links.red.blue.loss: 100 %}, for: 2s}\n"
                                                "    - {at: 100ms, set: {links.red.blue.loss: 50 %}}\n"
                                                "    - {at: 200ms, set: {links.blue.red.loss: 50 %}, for: 100ms}\n"
                                                "    - {at: 1s, set: {window: 2ms}}\n"
                                                "    - {at: 1500ms, leave: blue, for: 100ms}\n"
                                                "  expect: [{reachable: always}]\n"),
                                  2s, known_names());
  EXPECT_THAT(start.document.assignments(), ElementsAre("links.red.blue.loss=100 %", "window=2ms"));
  EXPECT_EQ(start.configuration.links.size(), 1U);
  EXPECT_EQ(start.configuration.robots.size(), 2U);
  EXPECT_EQ(start.configuration.begin.at, SimTime{2001ms}) << "windows of 2 ms begin behind the one at 1 s";
  EXPECT_EQ(start.configuration.begin.window, 1501U);
  ASSERT_TRUE(start.configuration.scenario);
  EXPECT_EQ(start.scenario->next(), SimTime{3s}) << "then the loss is as it was before";
}

TEST_F(RunStartTest, IsRefusedWithoutAnEarlierValue) {
  const std::string ends = "scenario: {end: 5s}\n";
  EXPECT_THAT(refused(1s, ""), HasSubstr("--from begins in the middle of a scenario, and there is none"));
  EXPECT_THAT(refused(5s, ends), HasSubstr("--from '5 s' is out of range; allowed: from 0 s to before"));
  EXPECT_THAT(refused(1s, ends, "physics: {type: native, address: 'unix:/tmp/hgt-none.sock'}\n"),
              HasSubstr("--from needs physics and netsim of the gateway's own"));
}

}  // namespace
}  // namespace hilgate::test
