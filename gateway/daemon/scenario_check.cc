// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/scenario_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "config/config_file.h"
#include "gateway/configuration/bodies.h"
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

constexpr std::string_view kTrack = "physics.tracks.";

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

bool sets_track(const Assignments& assignments, const std::string& value) {
  const std::string_view key = key_of(value);
  return key.starts_with(kTrack) && !assignments.back &&
         value.find_first_not_of(" \t", key.size() + 1) != std::string::npos;
}

bool sets_links_and_tracks(const Assignments& assignments) {
  return std::ranges::all_of(assignments.values, [&assignments](const std::string& value) {
    return value.starts_with("links.") || sets_track(assignments, value);
  });
}

/// A document while the steps of a scenario change it, one after the other. The waypoints in force, which are most of
/// what is there after the import of a log, are read again only for steps that depend on them: otherwise one short
/// track for each robot is in their place, and a step costs the same however long the tracks are.
class SteppedDocument {
 public:
  SteppedDocument(ConfigDocument document, const Configuration& configuration)
      : whole_(std::move(document)), short_(shortened(whole_, configuration)), has_file_(whole_.physics_file()) {}

  /// What a step is laid over.
  const ConfigDocument& before(const Assignments& assignments) {
    if (!needs_waypoints(assignments)) {
      return short_;
    }
    catch_up();
    return whole_;
  }

  /// The step has led to `after`, from before() it, which is read as `configuration`.
  void go_on(const Assignments& assignments, ConfigDocument after, const Configuration& configuration) {
    if (needs_waypoints(assignments)) {
      whole_ = std::move(after);
      short_ = shortened(whole_, configuration);
      has_file_ = whole_.physics_file().has_value();
      return;
    }
    pending_.push_back(&assignments);
    const bool has_track =
        std::ranges::any_of(assignments.values, [](const std::string& value) { return value.starts_with(kTrack); });
    short_ = has_track ? shortened(after, configuration) : std::move(after);
  }

 private:
  // Whether what is there before it decides which waypoints are read with a step, or how. A track that it sets replaces
  // what is there, but a file must not have that robot; links have nothing to do with waypoints.
  [[nodiscard]] bool needs_waypoints(const Assignments& assignments) const {
    return std::ranges::any_of(assignments.values, [&](const std::string& value) {
      return (value.starts_with("physics") || value.starts_with("robots")) &&
             (has_file_ || !sets_track(assignments, value));
    });
  }

  // Of a run whose robots follow tracks from the start; others are as they are.
  static ConfigDocument shortened(const ConfigDocument& document, const Configuration& configuration) {
    if (!configuration.physics || is_air_external(configuration)) {
      return document;
    }
    std::vector<std::string> tracks;
    const Bodies bodies(configuration.robots);
    for (const std::string& body : bodies.names()) {
      tracks.push_back(fmt::format("{}{}=[{{at: 0s, position: [0m, 0m, 0m]}}]", kTrack, body));
    }
    for (const char* of_file : {"file", "names", "time"}) {
      tracks.push_back(fmt::format("physics.{}=", of_file));
    }
    return document.without({"physics.tracks"}).with(tracks);
  }

  // All steps that the whole document lacks, at once.
  void catch_up() {
    std::vector<std::string> values;
    std::vector<std::string> away;
    std::unordered_map<std::string_view, std::size_t> place;  // of a key in `values`
    for (const Assignments* const each : pending_) {
      for (const std::string& value : each->values) {
        const std::string_view key = key_of(value);
        if (const auto before = place.find(key); before != place.end()) {
          values[before->second].clear();
          place.erase(before);
        }
        if (each->back) {
          away.emplace_back(key);
        } else {
          place.emplace(key, values.size());
          values.push_back(value);
        }
      }
    }
    pending_.clear();
    std::erase(values, "");
    whole_ = whole_.without(away).with(values);
  }

  ConfigDocument whole_;  // but for what is pending
  ConfigDocument short_;
  bool has_file_ = false;  // with positions
  std::vector<const Assignments*> pending_;
};

using TextOf = std::function<std::string(const Fault&)>;

void check(Configuration running, const ConfigDocument& document, const Scenario& scenario, const KnownNames& known,
           const TextOf& text_of) {
  std::vector<Fault> faults;
  const std::multimap<Nanoseconds, Assignments> all = assignments_of(scenario);
  SteppedDocument stepped(document, running);
  for (const auto& [at, assignments] : all) {
    try {
      const ConfigDocument& before = stepped.before(assignments);
      ConfigDocument wanted_document = changed(before, assignments);
      Configuration wanted = wanted_document.read(known);
      check_change(running, before, wanted, wanted_document);
      stepped.go_on(assignments, std::move(wanted_document), wanted);
      running = std::move(wanted);
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
  if (!configuration.scenario) {
    return all;
  }
  const std::multimap<Nanoseconds, Assignments> steps = assignments_of(*configuration.scenario);
  SteppedDocument stepped(ConfigDocument::load(configuration.file), configuration);
  for (const auto& [at, assignments] : steps) {
    ConfigDocument after = changed(stepped.before(assignments), assignments);
    if (!sets_links_and_tracks(assignments)) {
      all.push_back(after.read(known));
    }
    stepped.go_on(assignments, std::move(after), all.empty() ? configuration : all.back());
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
