// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/change.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "config/config_file.h"
#include "gateway/configuration/configuration.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/recorder/run_document.h"
#include "gateway/run/simulation/dilation.h"
#include "gateway/run/simulation/simulation.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate {
namespace {

constexpr std::array kFixed = {"name", "seed",      "pace",       "follow", "clock",   "late",    "lag",  "memory",
                               "hold", "heartbeat", "dpdk",       "kernel", "capture", "record",  "site", "web",
                               "ros2", "scenario",  "scheduling", "cot",    "dis",     "foxglove"};

[[noreturn]] void refuse(std::string_view what) {
  throw std::runtime_error(fmt::format("{} cannot change at run time; restart the gateway", what));
}

// Which ports a loop has may change: PortSlots::changed() has the rest.
bool has_same_loops(const Configuration& running, const Configuration& wanted) {
  return std::equal(
      running.cores.begin(), running.cores.end(), wanted.cores.begin(), wanted.cores.end(),
      [](const CoreConfig& one, const CoreConfig& other) { return one.cpu == other.cpu && one.idle == other.idle; });
}

// Sockets that serve time stay where they were opened.
void check_served_ports(const Configuration& running, const Configuration& wanted) {
  for (std::size_t i = 0; i < running.clock.serve.size(); ++i) {
    const PortConfig& before = running.ports[running.clock.serve[i].port.value()];
    const PortConfig& now = wanted.ports[wanted.clock.serve[i].port.value()];
    if (before.interface != now.interface) {
      refuse(fmt::format("the interface of port '{}', which is served time,", now.name));
    }
  }
}

std::string mount_text(const AntennaMount& mount) {
  const auto& [offset, rotation, body] = mount;
  return fmt::format("{} {} {} {} {} {} {} {} {}", offset.x, offset.y, offset.z, rotation.w, rotation.x, rotation.y,
                     rotation.z, body.lower.value, body.upper.value);
}

std::string names_of_robots(const Configuration& configuration) {
  std::string text;
  for (const RobotConfig& robot : configuration.robots) {
    text += fmt::format("{} {} {}{} {}\n", robot.name, robot.radio, robot.physics_id.value_or(""),
                        robot.wired ? " wired" : "", mount_text(robot.antenna));
  }
  return text;
}

bool has_lines(const Configuration& configuration) {
  return std::ranges::any_of(configuration.ports, [](const PortConfig& port) { return is_line(port.driver); });
}

std::string trunks_of(const Configuration& configuration) {
  std::string text;
  for (const PortConfig& port : configuration.ports) {
    text += port.trunk ? port.name + "\n" : "";
  }
  return text;
}

std::string stamp(const std::filesystem::path& file) {
  std::error_code none;  // a file that cannot be asked is found wanting where it is read
  return fmt::format("{} {}\n", file.string(), std::filesystem::last_write_time(file, none).time_since_epoch().count());
}

// Files may change under the same names.
std::string stamps(const Configuration& configuration) {
  std::string text;
  for (const FileReference& reference : configuration.references) {
    text += stamp(reference.file);
  }
  for (const auto& [name, file] : profile_files(configuration)) {
    text += stamp(file);
    for (const FileReference& reference : load_radio_profile(file).references) {
      text += stamp(reference.file);
    }
  }
  return text;
}

}  // namespace

void check_change(const Configuration& running, const ConfigDocument& document, const Configuration& wanted,
                  const ConfigDocument& wanted_document) {
  for (const char* key : kFixed) {
    if (document.section(key) != wanted_document.section(key)) {
      refuse(key);
    }
  }
  if (!has_same_loops(running, wanted)) {
    refuse("packet_loop");
  }
  if (running.ports.front().driver != wanted.ports.front().driver) {
    refuse("the driver of ports");
  }
  check_served_ports(running, wanted);
  if ((has_lines(running) || has_lines(wanted)) && document.section("ports") != wanted_document.section("ports")) {
    refuse("ports of a run with serial lines");
  }
  if (trunks_of(running) != trunks_of(wanted)) {
    refuse("whether robots of a port have a `vlan`");
  }
  if (tap_of(running) != tap_of(wanted)) {
    refuse("what is heard of MAVLink and DDS, and the feeds to robots");
  }
  if (!is_air_external(running) && !is_air_external(wanted)) {
    return;
  }
  for (const char* key : {"physics", "netsim", "window"}) {
    if (document.section(key) != wanted_document.section(key)) {
      refuse(fmt::format("{} of a run with an external simulator", key));
    }
  }
  if (names_of_robots(running) != names_of_robots(wanted)) {
    refuse("robots of a run with an external simulator");
  }
}

Configuration read_change(const Configuration& running, const ConfigDocument& document,
                          const ConfigDocument& wanted_document, const KnownNames& known) {
  Configuration wanted = wanted_document.read(known);
  check_change(running, document, wanted, wanted_document);
  wanted.memory = running.memory;
  wanted.hold_frames = running.hold_frames;
  take_over_counts(running, wanted);
  return wanted;
}

void check_set(const std::vector<std::string>& assignments) {
  for (const std::string& assignment : assignments) {
    const std::string_view key = key_of(assignment);
    if (key == "lab" || key.starts_with("lab.")) {
      throw std::runtime_error("lab cannot change at run time: `hilgate lab` reads it from the file; change it there");
    }
  }
}

std::string world_of(const Configuration& configuration, const ConfigDocument& document) {
  std::string text = names_of_robots(configuration) + stamps(configuration);
  for (const char* key : {"physics", "netsim"}) {
    text += document.section(key) + "\n";
  }
  return text;
}

std::string text_for_operators(const Fault& fault, const Configuration& configuration) {
  return fault.file == configuration.file.string()
             ? fault.text
             : "is wrong here; run `hilgate check` with read access to the file for details";
}

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
