// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/scenario_check.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "gateway/configuration/document/config_document.h"
#include "gateway/daemon/change.h"

namespace hilgate {
namespace {

constexpr std::size_t kMostWhileRunning = 64;  // changes

/// What a step does to the configuration at one instant.
struct Assignments {
  int line = 0;
  std::vector<std::string> values;
  bool back = false;  // the keys of these values are as before
};

// Of steps that happen many times, the first time and, where values differ, the last.
std::multimap<Nanoseconds, Assignments> assignments_of(const Scenario& scenario) {
  std::multimap<Nanoseconds, Assignments> all;
  for (const ScenarioStep& step : scenario.steps) {
    if (!step.reset.empty()) {
      all.emplace(step.at, Assignments{step.line, step.reset, true});
    }
    if (step.set.empty() && step.ramps.empty()) {
      continue;
    }
    all.emplace(step.at, Assignments{step.line, step.values(0)});
    if (step.lasts) {
      all.emplace(step.at + *step.lasts, Assignments{step.line, step.values(0), true});
    }
    if (!step.ramps.empty()) {
      all.emplace(step.instant(step.times - 1), Assignments{step.line, step.values(step.times - 1)});
    }
  }
  return all;
}

ConfigDocument changed(const ConfigDocument& document, const Assignments& assignments) {
  if (!assignments.back) {
    return document.with(assignments.values);
  }
  std::vector<std::string> keys;
  for (const std::string& value : assignments.values) {
    keys.emplace_back(key_of(value));
  }
  return document.without(keys);
}

using TextOf = std::function<std::string(const Fault&)>;

void check(Configuration running, ConfigDocument document, const Scenario& scenario, const KnownNames& known,
           const TextOf& text_of) {
  std::vector<Fault> faults;
  for (const auto& [at, assignments] : assignments_of(scenario)) {
    try {
      const ConfigDocument wanted_document = changed(document, assignments);
      Configuration wanted = wanted_document.read(known);
      check_change(running, document, wanted, wanted_document);
      running = std::move(wanted);
      document = wanted_document;
    } catch (const ConfigError& error) {
      for (const Fault& fault : error.faults()) {
        faults.push_back({scenario.file, assignments.line, fault.path, text_of(fault)});
      }
    } catch (const std::runtime_error& error) {
      faults.push_back({scenario.file, assignments.line, "", error.what()});
    }
  }
  if (!faults.empty()) {
    throw ConfigError(std::move(faults));
  }
}

}  // namespace

void check_scenario(const Configuration& configuration, const KnownNames& known) {
  if (configuration.scenario) {
    check(configuration, ConfigDocument::load(configuration.file), *configuration.scenario, known,
          [](const Fault& fault) { return fault.text; });
  }
}

std::vector<Configuration> scenario_configurations(const Configuration& configuration, const KnownNames& known) {
  std::vector<Configuration> all;
  if (configuration.scenario) {
    ConfigDocument document = ConfigDocument::load(configuration.file);
    for (const auto& [at, assignments] : assignments_of(*configuration.scenario)) {
      document = changed(document, assignments);
      all.push_back(document.read(known));
    }
  }
  return all;
}

void check_scenario_on(const Configuration& running, const ConfigDocument& document, const Scenario& scenario,
                       const KnownNames& known) {
  if (const std::size_t changes = assignments_of(scenario).size(); changes > kMostWhileRunning) {
    throw std::runtime_error(
        fmt::format("the scenario has {} changes, and all of them are checked while the run "
                    "waits; allowed: {}. Start a run with it: hilgate run FILE --scenario",
                    changes, kMostWhileRunning));
  }
  check(running, document, scenario, known,
        [&running](const Fault& fault) { return text_for_operators(fault, running); });
}

}  // namespace hilgate
