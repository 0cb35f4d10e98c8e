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
