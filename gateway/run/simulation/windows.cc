// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/windows.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "gateway/run/simulation/dilation.h"
#include "gateway/run/simulation/simulation.h"
#include "host/log/log.h"
#include "physics_link/connection/connection_report.h"
#include "physics_link/feeds/position_formats.h"

namespace hilgate {

Windows::Windows(asio::io_context& context, const Configuration& configuration, const Simulation& simulation,
                 DataPlane& plane, const TableRobots& robots, WindowTimeline& timeline, WindowTimer& timer,
                 RunObserver& observer, std::function<void(const std::string&)> ended)
    : configuration_(configuration),
      plane_(plane),
      modes_(simulation.air.modes.size()),
      roles_(simulation.air.roles),
      observer_(observer),
      over_(std::move(ended)),
      timer_(timer),
      simulators_(
          make_simulators(context, configuration, simulation, [this](const ConnectionEvent& event) { note(event); })),
      packets_(plane.verdicts(), robots, window_options(configuration)),
      engine_(window_options(configuration), timer_, *simulators_.physics, *simulators_.network, packets_, *this),
      table_(first_links(configuration)) {
  engine_.follow(timeline);
  packets_.attach(engine_);
  use_own_links(simulation);
  if (configuration.pace == Pace::kFollow && configuration.follow.source == FollowSource::kSocket) {
    physics_clock_.emplace(context, configuration.follow.socket,
                           [this](std::string_view line) { hear_physics_clock(line); });
  }
}

// Malformed lines are ignored; status then reports the clock as silent.
void Windows::hear_physics_clock(std::string_view line) {
  if (const auto time = parse_cornet_clock(line)) {
    engine_.note_physics_clock(*time);
  }
}

void Windows::use_own_links(const Simulation& simulation) {
  own_links_ = judged_robots(configuration_) != nullptr ? simulation.netsim.get() : nullptr;
}

void Windows::publish_first() {
  table_.at = configuration_.begin.at;
  table_.begins = configuration_.pace == Pace::kFollow ? engine_.path_at(table_.at) : timer_.now();
  plane_.publish(table_);
}

void Windows::start() {
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
  use_own_links(simulation);
  if (simulators_.air != nullptr) {
    simulators_.air->change(path_in_sim_time(configuration_, simulation.air));
  }
  modes_ = simulation.air.modes.size();
  roles_ = simulation.air.roles;
  table_ = table;
  engine_.change_window(window);
}

void Windows::begin_anew(const Simulation& simulation, const RunBegin& begin) {
  if (simulators_.own_physics != nullptr) {
    simulators_.own_physics->use(*simulation.physics);
  }
  if (simulators_.own_network != nullptr) {
    simulators_.own_network->use(*simulation.netsim);
  }
  use_own_links(simulation);
  if (air_ != nullptr) {
    air_->forget();
  }
  packets_.begin_anew();
  window_ = last_table_ = begin.window;
  engine_.begin_anew(begin.window, begin.at);
}

void Windows::window_began(const WindowStart& start) {
  window_ = start.window;
  at_ = start.at;
  began_ = timer_.now();
  note_start();
  report_.published += start.unchanged;
  last_table_ += start.unchanged;
  if (air_ != nullptr) {
    share_air(start);
  }
  if (own_links_ != nullptr && start.scene != nullptr) {
    publish_own(start);
  }
  packets_.window_began(start.from);
  observer_.window_began(start.from);
}

void Windows::links(LinkTable& table) {
  if (table.links.size() != table_.links.size()) {
    return;  // of other robots than ours
  }
  if (own_links_ != nullptr) {
    return;  // packets alone are the simulator's
  }
  if (air_ == nullptr) {
    use(table);
  } else if (external_netsim(configuration_) != nullptr) {
    std::swap(said_, table);
  } else if (are_heard()) {
    air_->made(table, engine_.window());
  }
}

// Radios do not wait for a simulator that judges packets of others.
void Windows::publish_own(const WindowStart& start) {
  const std::size_t ends = start.scene->robots.size();
  own_.links.resize(ends * ends);
  own_.window = start.window;
  own_.at = start.scene->at;
  own_links_->link_states(*start.scene, own_);
  use(own_);
}

// A network simulator sends links when they change, or never: finishing a window counts as an update.
void Windows::share_air(const WindowStart& start) {
  const bool is_external = external_netsim(configuration_) != nullptr;
  const std::uint64_t ended = engine_.network_stats().windows;
  if (is_external && std::exchange(ended_, ended) != ended && are_heard()) {
    air_->made(said_, start.window);
  }
  if (air_->begin(start.window, shared_)) {
    shared_.at = start.from;
    use(shared_);
  }
  if (judged_by_packet(configuration_)) {
    plane_.set_site_author(air_->author());
  }
}

// Without answers physics is stalled, and the next gateway that has a simulator is to publish link states.
bool Windows::are_heard() const {
  constexpr int kSilentWindows = 3;
  const HostTime now = timer_.now();
  const auto owed = engine_.physics_asked();
  if (!engine_.simulators_came() || (owed && now - *owed > kSilentWindows * configuration_.window)) {
    return false;
  }
  if (simulators_.feed == nullptr) {
    return true;
  }
  for (std::uint32_t i = 0; i < configuration_.robots.size(); ++i) {
    const auto heard = simulators_.feed->heard(RobotIndex{i});
    if (heard && now - *heard <= simulators_.feed->stale_after()) {
      return true;
    }
  }
  return false;
}

void Windows::use(LinkTable& table) {
  std::swap(table_, table);
  const bool is_foreign = air_ != nullptr || !std::holds_alternative<EmbeddedConfig>(configuration_.netsim);
  if (is_foreign) {  // for 1000 robots a tenth of a window of 10 ms: their links lie far apart in memory
    make_sane(table_, modes_);
  }
  observer_.table_made(table_);
  stretch(table_, configuration_.dilation);
  if (configuration_.pace != Pace::kLockstep) {
    table_.begins = engine_.path_at(table_.at);
  }
  plane_.publish(table_);
  for (const StationNews& news : stations_.take(configuration_, roles_, table_)) {
    const LogScope about({.robot = news.robot});
    spdlog::info("{}", news.text);
    observer_.station_came(news);
  }
  note_table();
  observer_.table_published(table_.at);
}

void Windows::verdicts(std::span<const Verdict> verdicts, std::span<const std::uint64_t> forgotten) {
  packets_.verdicts(verdicts, forgotten);
  observer_.verdicts(verdicts);
}

// In lockstep a window begins when the one before is done, and is never late: its time is better spent than on asking.
void Windows::note_start() {
  if (configuration_.pace == Pace::kLockstep) {
    return;
  }
  const Nanoseconds waited = std::exchange(waited_, processor_wait_.total());
  const Nanoseconds late = began_ - at_;
  if (late > kLateStart) {
    ++(2 * (waited_ - waited) > late ? report_.late_by_processor : report_.late_by_own_work);
  }
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
  log_connection(event);
  report_.last_event = event.text;
}

namespace {

using State = Attachment::State;

void wait(Stations::Record& record, Nanoseconds passed) {
  if (record.state != State::kAttached) {
    record.without += passed;
    record.without_now += passed;
    record.without_most = std::max(record.without_most, record.without_now);
  }
}

}  // namespace

std::vector<StationNews> Stations::take(const Configuration& configuration, const std::vector<AirRole>& roles,
                                        const LinkTable& table) {
  std::vector<StationNews> news;
  const AccessNetworkConfig* network = access_network(configuration);
  const Nanoseconds passed = std::max(table.at - at_, Nanoseconds{0});
  at_ = table.at;
  for (std::uint32_t i = 0; network != nullptr && i < configuration.robots.size() && i < table.attachments.size();
       ++i) {
    if (roles[i] != AirRole::kStation) {
      continue;
    }
    const Attachment& attachment = table.attachments[i];
    const bool attached = attachment.state == State::kAttached;
    Record& record = records_[configuration.robots[i].name];
    wait(record, passed);
    const std::string name =
        attached ? network->access_points[attachment.at.value().value() - configuration.robots.size()].name : "";
    if (StationNews change = follow(record, attachment.state, name); !change.text.empty()) {
      change.robot = configuration.robots[i].name;
      change.text = fmt::format("station {} {}", change.robot, change.text);
      news.push_back(std::move(change));
    }
  }
  return news;
}

// What is new, without the robot; no text when nothing is.
StationNews Stations::follow(Record& record, State now, const std::string& access_point) {
  const State before = std::exchange(record.state, now);
  StationNews news;
  if (now != State::kAttached) {
    news.text = now == State::kNone && before != State::kNone ? "is out of range of all access points" : "";
    return news;
  }
  const Nanoseconds without = std::exchange(record.without_now, Nanoseconds{0});
  if (before == State::kAttached && record.access_point == access_point) {
    return news;
  }
  const std::string from = std::exchange(record.access_point, access_point);
  if (from.empty()) {
    news.text = fmt::format("is associated with access point {}", access_point);
    return news;
  }
  if (from != access_point) {
    ++record.handovers;
    news.from = from;
    news.to = access_point;
    news.without = without;
  }
  news.text = fmt::format("is associated with access point {} after {}, {:.1f} ms without association", access_point,
                          from, static_cast<double>(without.count()) / 1e6);
  return news;
}

Stations::Record Stations::of(const std::string& robot) const {
  const auto known = records_.find(robot);
  return known != records_.end() ? known->second : Record{};
}

}  // namespace hilgate
