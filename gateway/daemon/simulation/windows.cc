// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/simulation/windows.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "gateway/daemon/log/journal.h"
#include "gateway/daemon/simulation/dilation.h"

namespace hilgate {
namespace {

// Before physics has said where robots are, radios hear nothing; cables carry at once.
LinkTable first_table(const Configuration& configuration) {
  const bool nobody_placed = std::holds_alternative<EmbeddedConfig>(configuration.netsim) && !configuration.physics;
  LinkTable table;
  table.links.resize(link_ends(configuration) * link_ends(configuration));
  for (LinkState& link : table.links) {
    link.reachable = !nobody_placed;
  }
  return table;
}

// An external simulator may say anything. What indexes our tables must be in them, and a hazard is no negative number.
void make_sane(LinkTable& table, std::size_t modes) {
  for (LinkState& link : table.links) {
    link.unicast_mode = link.unicast_mode < modes ? link.unicast_mode : std::uint8_t{0};
    link.multicast_mode = link.multicast_mode < modes ? link.multicast_mode : std::uint8_t{0};
    const bool nonsense = !(link.unicast.per_bit >= 0) || !(link.multicast.per_bit >= 0);
    link.reachable = link.reachable && !nonsense;
    if (nonsense) {
      link.unicast = link.multicast = BitHazard{};
    }
    link.delay = std::clamp(link.delay, Nanoseconds{0}, Nanoseconds{std::chrono::hours(1)});
  }
}

}  // namespace

Windows::Windows(asio::io_context& context, const Configuration& configuration, const Simulation& simulation,
                 DataPlane& plane, const TableRobots& robots, WindowTimeline& timeline,
                 std::function<void(const std::string&)> ended)
    : configuration_(configuration),
      plane_(plane),
      modes_(simulation.air.modes.size()),
      roles_(simulation.air.roles),
      over_(std::move(ended)),
      timer_(context),
      simulators_(
          make_simulators(context, configuration, simulation, [this](const ConnectionEvent& event) { note(event); })),
      packets_(plane.verdicts(), robots, window_options(configuration)),
      engine_(window_options(configuration), timer_, *simulators_.physics, *simulators_.network, packets_, *this),
      table_(first_table(configuration)) {
  engine_.follow(timeline);
  packets_.attach(engine_);
}

void Windows::start() {
  table_.begins = timer_.now();
  plane_.publish(table_);
  engine_.start();
}

void Windows::change(const Simulation& simulation, Nanoseconds window, const LinkTable& table,
                     const TableRobots& robots) {
  packets_.change(robots);
  if (simulators_.own_physics != nullptr) {
    simulators_.own_physics->use(*simulation.physics);
  }
  if (simulators_.own_network != nullptr) {
    simulators_.own_network->use(*simulation.netsim);
  }
  modes_ = simulation.air.modes.size();
  roles_ = simulation.air.roles;
  table_ = table;
  engine_.change_window(window);
}

void Windows::window_began(const WindowStart& start) {
  window_ = start.window;
  from_ = start.from;
  at_ = start.at;
  began_ = timer_.now();
  packets_.window_began(start.from);
}

void Windows::links(LinkTable& table) {
  if (table.links.size() != table_.links.size()) {
    return;  // of other robots than ours
  }
  std::swap(table_, table);
  make_sane(table_, modes_);
  stretch(table_, configuration_.dilation);
  if (configuration_.pace != Pace::kLockstep) {
    table_.begins = engine_.host_at(table_.at);
  }
  plane_.publish(table_);
  for (const Stations::News& news : stations_.take(configuration_, roles_, table_)) {
    const LogScope about({.robot = news.robot});
    spdlog::info("{}", news.text);
  }
  note_table();
}

void Windows::note_table() {
  const HostTime now = timer_.now();
  report_.missed += report_.published > 0 && window_ > last_table_ ? window_ - last_table_ - 1 : 0;
  last_table_ = window_;
  ++report_.published;
  report_.last_lateness = now - at_;
  report_.most_lateness = std::max(report_.most_lateness, report_.last_lateness);
  report_.last_compute = now - began_;
  report_.most_compute = std::max(report_.most_compute, report_.last_compute);
}

void Windows::ended(const std::string& why) {
  packets_.close();
  over_(why);
}

void Windows::note(const ConnectionEvent& event) {
  const bool good = event.kind == LinkEventKind::kWaiting || event.kind == LinkEventKind::kConnected;
  spdlog::log(good ? spdlog::level::info : spdlog::level::warn, "{}", event.text);
  report_.last_event = event.text;
}

}  // namespace hilgate
