// SPDX-License-Identifier: Apache-2.0
// Scenarios: YAML, and EMANE's event logs, which become YAML that is a good scenario.
#include "config/config_file.h"
#include "gateway/configuration/scenario/eel.h"
#include "gateway/configuration/scenario/scenario_reader.h"
#include "tests/fuzz/fuzz_input.h"

namespace hilgate::test {
namespace {

void check_faults(const ConfigError& error) {
  require(!error.faults().empty(), "who is refused is told why");
  for (const Fault& fault : error.faults()) {
    require(!fault.file.empty() && !fault.text.empty(), "a fault has a place and a text");
  }
}

void read_scenario_text(const std::string& text) {
  const Scenario scenario =
      parse_scenario(text, "fuzz.yaml", {.robots = {"red", "blue"}, .can_pause = true, .measures_delay = true});
  require(scenario.end > Nanoseconds{0}, "a scenario has an end");
  for (const ScenarioStep& step : scenario.steps) {
    require(step.at >= Nanoseconds{0}, "a step has an instant");
  }
}

// Of the numbers that are written in the log nothing is lost that the scenario's reader would refuse.
void import(const std::string& text) {
  std::string yaml;
  try {
    yaml = eel_scenario(read_eel(text, "fuzz.eel"), {{1, "red"}, {2, "blue"}}, "fuzz.eel");
  } catch (const ConfigError& error) {
    return check_faults(error);
  }
  if (yaml.size() < 100'000) {
    require(parse_scenario(yaml, "imported.yaml", {.robots = {"red", "blue"}}).end > Nanoseconds{0},
            "what is imported is a scenario");
  }
}

}  // namespace
}  // namespace hilgate::test

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace hilgate;
  using namespace hilgate::test;
  FuzzInput input(data, size);
  try {
    if (input.byte() % 2 == 0) {
      read_scenario_text(std::string(input.rest()));
    } else {
      import(std::string(input.rest()));
    }
  } catch (const ConfigError& error) {
    check_faults(error);
  }
  return 0;
}
