// SPDX-License-Identifier: Apache-2.0
// Changes the configuration of a running gateway: everything is built and checked first, then the packet path changes
// between two iterations, and the rest follows. What throws before that leaves everything as it was.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

#include "config/config_error.h"
#include "gateway/configuration/reader/configuration_warnings.h"
#include "gateway/daemon/change.h"
#include "gateway/daemon/daemon.h"
#include "gateway/run/planes/configured_path.h"
#include "gateway/run/simulation/dilation.h"
#include "gateway/run/simulation/link_tables.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

// The path answers within an iteration; a sanitized build on a busy machine may be descheduled.
constexpr auto kChangePatience = 500ms;

}  // namespace

void Daemon::pause(bool stand) {
  if (configuration_.pace != Pace::kDilate) {
    throw std::runtime_error("simulation time can be paused with pace dilate only");
  }
  stand ? clock_.pause() : clock_.resume();
  observers_.happened(stand ? "pause" : "resume", {});
}

void Daemon::reload() {
  const std::size_t assignments = document_.assignments().size();
  change(ConfigDocument::load(configuration_.file));
  spdlog::info("reloaded {}{}", configuration_.file.string(),
               assignments > 0 ? fmt::format("; {} values that were set are as in the file again", assignments) : "");
  observers_.happened("reload", {});
}

nlohmann::ordered_json Daemon::get(const std::vector<std::string>& keys) const {
  nlohmann::ordered_json values = nlohmann::ordered_json::array();
  if (keys.empty()) {
    values.push_back({{"key", ""}, {"value", document_.value("")}});
  }
  for (const std::string& key : keys) {
    values.push_back({{"key", key}, {"value", document_.value(key)}});
  }
  return values;
}

void Daemon::set(const std::vector<std::string>& values) {
  try {
    change(document_.with(values));
    for (const std::string& value : values) {
      spdlog::info("set: {}", value);
    }
    observers_.happened("set", {{"values", values}});
  } catch (const ConfigError& error) {
    auto faults = error.faults();
    for (Fault& fault : faults) {
      fault.text = text_for_operators(fault, configuration_);
    }
    throw ConfigError(std::move(faults));
  }
}

void Daemon::change(const ConfigDocument& document) {
  Configuration wanted = document.read(known_);
  check_change(configuration_, document_, wanted, document);
  Simulation simulation;
  LinkTable table = windows_.table();
  std::string world = world_of(wanted, document);
  const bool new_world = world != world_;
  if (new_world) {
    simulation = make_simulation(wanted);
    if (simulation.vehicles != nullptr && simulation_.vehicles != nullptr) {
      simulation.vehicles->take_over(*simulation_.vehicles);
    }
    table = links_at(windows_.now(), simulation, link_ends(wanted));
    stretch(table, wanted.dilation);
    table.begins = windows_.table().begins + (table.at - windows_.table().at);
    table.window = windows_.table().window;
  } else {
    change_pace(table, configuration_.dilation, wanted.dilation);
    simulation.air = configured_air(wanted, *simulation_.netsim);
  }
  RobotSlots slots = slots_.changed(wanted, [this](LinkId link) { return plane_->counts(link).idle(); });
  if (!plane_->change(configured_path(wanted, simulation.air, slots), slots.ports().plan(wanted), table,
                      kChangePatience)) {
    throw std::runtime_error("the packet loop does not answer; nothing was changed");
  }
  if (!new_world) {
    simulation.physics = std::move(simulation_.physics);
    simulation.vehicles = simulation_.vehicles;
    simulation.netsim = std::move(simulation_.netsim);
    change_air(wanted, simulation);
  }
  const bool new_pace = wanted.dilation != configuration_.dilation;
  Simulation old = std::exchange(simulation_, std::move(simulation));
  const Configuration before = std::exchange(configuration_, std::move(wanted));
  if (new_world) {
    share_link_work(configuration_, simulation_);
  }
  document_ = document;
  world_ = std::move(world);
  const RobotSlots old_slots = std::exchange(slots_, std::move(slots));
  windows_.change(simulation_, configuration_.window, table, slots_.table());
  if (new_pace) {
    clock_.set_pace(configuration_.dilation);
    for (const std::string& text : warnings(configuration_)) {
      spdlog::warn("{}", text);
    }
  }
  port_watch_.changed({before, old_slots.ports()}, {configuration_, slots_.ports()});
  captures_.change(std::make_shared<CaptureNames>(configuration_, slots_));
  telemetry_.changed();
  conditions_.changed();
  if (rejoin_) {
    rejoin_->changed();
  }
  air_meter_.restart();
  spdlog::debug("changed: {} robots, window {} us", configuration_.robots.size(), configuration_.window.count() / 1000);
}

}  // namespace hilgate
