// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/live_scenario.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "clock/host_now.h"
#include "config/radio_name.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/status/scenario_status.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

bool is_chosen(const std::optional<std::string>& end, const RobotConfig& robot) {
  return !end || stands_for(*end, robot.name);
}

}  // namespace

LiveScenario::LiveScenario(asio::io_context& context, std::optional<ScenarioPlayer> played, Run run)
    : run_(std::move(run)), player_(std::move(played)), resume_timer_(context) {
  if (player_) {
    player_->play_on(*this);
  }
}

std::vector<std::string> LiveScenario::failures() const {
  return player_ && !requested_ ? player_->failures() : std::vector<std::string>{};
}

void LiveScenario::window_began(SimTime from) {
  if (player_ && !player_->over()) {
    play(from);
  }
}

void LiveScenario::table_published(SimTime at) {
  if (player_) {
    player_->table_came(at);
  }
}

void LiveScenario::station_came(const StationNews& news) {
  if (player_ && !news.to.empty()) {
    player_->handed_over({.robot = news.robot, .to = news.to, .without = news.without});
  }
}

// Before the loops run: the first frames are measured as well.
void LiveScenario::prepare() {
  if (run_.running.configuration.scenario) {
    measure_delays(*run_.running.configuration.scenario);
  }
}

void LiveScenario::measure_delays(const Scenario& scenario) {
  if (std::ranges::any_of(scenario.expectations, [](const Expectation& expectation) {
        return expectation.kind == Expectation::Kind::kDelay;
      })) {
    delays_ = std::make_shared<DelayMeter>();
    run_.captures.follow(std::make_unique<DelaySink>(delays_));
  }
}

// The loops run: steps can be carried out.
void LiveScenario::begin() {
  if (!run_.running.configuration.scenario) {
    return;
  }
  if (!player_) {
    ScenarioRun& self = *this;
    player_.emplace(*run_.running.configuration.scenario, self);
  }
  if (run_.windows.engine().running()) {
    play(run_.windows.now());
    run_.windows.reschedule();
  }
}

void LiveScenario::play(SimTime now) {
  if (!player_->window_began(now)) {
    if (requested_) {
      spdlog::info("scenario {}: {}", player_->scenario().file,
                   player_->failures().empty() ? "all went as expected" : player_->failures().back());
      run_.observers.happened("scenario", {{"file", player_->scenario().file}, {"state", "over"}});
    } else {
      run_.stop();
    }
  }
  run_.windows.attend_by(player_->next());
}

void LiveScenario::end() {
  if (!player_ || requested_) {
    return;
  }
  player_->finish(run_.windows.now());
  spdlog::info("scenario: {}", player_->failures().empty() ? "all went as expected" : "failed");
}

void LiveScenario::handle(const nlohmann::json& request) {
  if (request.value("stop", false)) {
    return stop();
  }
  start(request.at("text").get<std::string>(), request.value("name", "scenario"));
}

void LiveScenario::start(const std::string& text, const std::string& name) {
  if (player_ && !(requested_ && player_->over())) {
    throw std::runtime_error(fmt::format("the scenario {} is running; {}", player_->scenario().file,
                                         requested_ ? "stop it first" : "it is the run's own, which ends with it"));
  }
  if (!run_.windows.engine().running()) {
    throw std::runtime_error("simulated time does not run yet; its simulators are not there");
  }
  const Scenario scenario = parse_scenario_for(run_.running.configuration, text, name);
  check_scenario_on(run_.running.configuration, run_.running.document, scenario, run_.running.known);
  const SimTime begin = run_.windows.now();
  measure_delays(scenario);
  ScenarioRun& self = *this;
  player_.emplace(scenario.later(begin.time_since_epoch()), self);
  requested_ = Requested{.begin = begin, .before = requested_ ? requested_->before : std::vector<std::string>{}};
  spdlog::info("scenario {}: started at {:.9g} s", name, seconds_of(begin.time_since_epoch()));
  run_.observers.happened("scenario", {{"file", name}, {"state", "started"}});
  play(begin);
  run_.windows.reschedule();
}

void LiveScenario::stop() {
  if (!player_ || !requested_) {
    throw std::runtime_error(player_ ? "the scenario is the run's own; stop the run instead"
                                     : "no scenario was started in this run");
  }
  if (!requested_->before.empty()) {
    const std::vector<std::string> before = requested_->before;  // to which take_back() adds nothing
    take_back(before);
  }
  if (resume_timer_.cancel() > 0) {  // it has the run pause
    run_.pause(false);
  }
  const std::string name = player_->scenario().file;
  player_.reset();
  requested_.reset();
  delays_.reset();
  spdlog::info("scenario {}: stopped, and what it has changed taken back", name);
  run_.observers.happened("scenario", {{"file", name}, {"state", "stopped"}});
}

void LiveScenario::remember(const std::vector<std::string>& values) {
  if (!requested_) {
    return;
  }
  for (const std::string& each : run_.running.document.standing(values)) {
    const auto same = [&](const std::string& other) { return key_of(other) == key_of(each); };
    if (std::ranges::none_of(requested_->before, same)) {
      requested_->before.push_back(each);
    }
  }
}

std::optional<ScenarioStatus> LiveScenario::status() const {
  return player_ ? std::optional(
                       scenario_status(*player_, requested_ ? requested_->begin : SimTime{}, requested_.has_value()))
                 : std::nullopt;
}

void LiveScenario::set_values(const std::vector<std::string>& values) {
  remember(values);
  run_.change.set(values);
}

std::vector<std::string> LiveScenario::standing(const std::vector<std::string>& values) {
  return run_.running.document.standing(values);
}

void LiveScenario::take_back(const std::vector<std::string>& before) {
  remember(before);
  run_.change.take_back(before);
}

void LiveScenario::pause_for(Nanoseconds length) {
  run_.pause(true);
  resume_timer_.expires_after(length);
  resume_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      run_.pause(false);
    }
  });
}

void LiveScenario::marked(const std::string& mark, SimTime at) {
  spdlog::info("scenario: {} at {:.9g} s", mark, std::chrono::duration<double>(at.time_since_epoch()).count());
  run_.observers.happened("mark", {{"mark", mark}});
}

void LiveScenario::settle() {
  static_cast<void>(run_.plane.snapshot(kPathPatience));
}

std::vector<LinkSample> LiveScenario::links(const LinkChoice& choice) {
  std::vector<LinkSample> samples;
  const auto& robots = run_.running.configuration.robots;
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    for (std::uint32_t j = 0; j < robots.size(); ++j) {
      const RobotIndex from{i};
      const RobotIndex to{j};
      if (is_chosen(choice.from, robots[i]) && is_chosen(choice.to, robots[j]) &&
          are_linked(run_.running.configuration, from, to)) {
        const LinkReading reading = read_link(run_.windows.table(), run_.running.simulation.air,
                                              link_ends(run_.running.configuration), from, to);
        samples.push_back({.from = robots[i].name,
                           .to = robots[j].name,
                           .counts = run_.plane.counts(run_.running.slots.link(from, to)),
                           .reachable = reading.reachable});
      }
    }
  }
  return samples;
}

void LiveScenario::measure_delay(std::size_t item, const LinkChoice& links) {
  delays_->begin(item, links, run_.clock.path_time(host_now()));
}

std::optional<DelaySample> LiveScenario::measured_delay(std::size_t item, double share) {
  const auto found = delays_->end(item, share, run_.clock.path_time(host_now()), host_now());
  if (!found) {
    return std::nullopt;
  }
  const double in_sim_time =
      static_cast<double>(found->percentile.count()) * run_.running.configuration.dilation.factor();
  return DelaySample{found->deliveries, Nanoseconds{static_cast<std::int64_t>(in_sim_time)}};
}

void LiveScenario::judged(const Expectation& expectation, const std::string& failure) {
  if (failure.empty()) {
    spdlog::info("scenario: expectation of line {} met", expectation.line);
  } else {
    spdlog::error("scenario: {}", failure);
  }
  run_.observers.happened("expectation", {{"line", expectation.line}, {"met", failure.empty()}, {"text", failure}});
}

}  // namespace hilgate
