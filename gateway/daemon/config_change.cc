// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/config_change.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config_file.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/daemon/change.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/simulation/dilation.h"
#include "gateway/run/simulation/link_tables.h"

namespace hilgate {

/// What a change leads to.
struct ConfigChange::Wanted {
  Configuration configuration;
  std::string world;
  bool is_new_world = false;
  Simulation simulation{};  // whole with a new world; else its air alone
  LinkTable table;
};

ConfigChange::Wanted ConfigChange::wanted_of(const ConfigDocument& document) const {
  const RunningConfiguration& now = run_.running;
  Configuration configuration = read_change(now.configuration, now.document, document, now.known);
  std::string world = world_of(configuration, document);
  Wanted wanted{.configuration = std::move(configuration), .world = std::move(world), .table = run_.windows.table()};
  wanted.is_new_world = wanted.world != now.world;
  Simulation& simulation = wanted.simulation;
  if (wanted.is_new_world) {
    simulation = make_simulation(wanted.configuration);
    if (simulation.vehicles != nullptr && now.simulation.vehicles != nullptr) {
      simulation.vehicles->take_over(*now.simulation.vehicles);
    }
    wanted.table = links_at(run_.windows.now(), simulation, link_ends(wanted.configuration));
    stretch(wanted.table, wanted.configuration.dilation);
    wanted.table.begins = run_.windows.table().begins + (wanted.table.at - run_.windows.table().at);
    wanted.table.window = run_.windows.table().window;
  } else {
    change_pace(wanted.table, now.configuration.dilation, wanted.configuration.dilation);
    simulation.air = configured_air(wanted.configuration, *now.simulation.netsim);
  }
  return wanted;
}

void ConfigChange::change(const ConfigDocument& document) {
  RunningConfiguration& now = run_.running;
  Wanted wanted = wanted_of(document);
  RobotSlots slots =
      now.slots.changed(wanted.configuration, [this](LinkSlot link) { return run_.plane.counts(link).idle(); });
  if (!run_.plane.change(configured_path(wanted.configuration, wanted.simulation.air, slots),
                         slots.ports().plan(wanted.configuration), wanted.table, kPathPatience)) {
    throw std::runtime_error("the packet loop does not answer; nothing was changed");
  }
  if (!wanted.is_new_world) {
    wanted.simulation.physics = std::move(now.simulation.physics);
    wanted.simulation.vehicles = now.simulation.vehicles;
    wanted.simulation.netsim = std::move(now.simulation.netsim);
    wanted.simulation.floors = now.simulation.floors;
    change_air(wanted.configuration, wanted.simulation);
  }
  const bool is_new_pace = wanted.configuration.dilation != now.configuration.dilation;
  const Simulation old = std::exchange(now.simulation, std::move(wanted.simulation));
  const Configuration before = std::exchange(now.configuration, std::move(wanted.configuration));
  const RobotSlots old_slots = std::exchange(now.slots, std::move(slots));
  now.document = document;
  now.world = std::move(wanted.world);
  if (wanted.is_new_world) {
    share_link_work(now.configuration, now.simulation);
  }
  run_.windows.change(now.simulation, now.configuration.window, wanted.table, now.slots.table());
  if (is_new_pace) {
    run_.clock.set_pace(now.configuration.dilation);
    for (const std::string& text : warnings(now.configuration)) {
      spdlog::warn("{}", text);
    }
  }
  run_.changed(before, old_slots);
  spdlog::debug("changed: {} robots, window {} us", now.configuration.robots.size(),
                now.configuration.window.count() / 1000);
}

void ConfigChange::set(const std::vector<std::string>& values) {
  check_set(values);
  try {
    change(run_.running.document.with(values));
  } catch (const ConfigError& error) {
    auto faults = error.faults();
    for (Fault& fault : faults) {
      fault.text = text_for_operators(fault, run_.running.configuration);
    }
    throw ConfigError(std::move(faults));
  }
  for (const std::string& value : values) {
    spdlog::info("set: {}", value);
  }
  run_.observers.happened("set", {{"values", values}});
}

void ConfigChange::take_back(const std::vector<std::string>& before) {
  change(run_.running.document.with_standing(before));
  for (const std::string& each : before) {
    spdlog::info("set back: {}", each);
  }
  run_.observers.happened("set_back", {{"values", before}});
}

void ConfigChange::reload() {
  const std::size_t assignments = run_.running.document.assignments().size();
  change(ConfigDocument::load(run_.running.configuration.file));
  spdlog::info("reloaded {}{}", run_.running.configuration.file.string(),
               assignments > 0 ? fmt::format("; {} values that were set are as in the file again", assignments) : "");
  run_.observers.happened("reload", {});
}

}  // namespace hilgate
