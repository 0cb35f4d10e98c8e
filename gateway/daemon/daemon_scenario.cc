// SPDX-License-Identifier: Apache-2.0
// A scenario on a running gateway: its steps go the way of `hilgate set`.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "clock/host_now.h"
#include "gateway/configuration/reader/configuration_reader.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/scenario_check.h"
#include "gateway/status/scenario_status.h"
#include "netsim_link/link_reading.h"

namespace hilgate {
namespace {

// The loop answers within an iteration; a sanitized build on a busy machine may be descheduled.
constexpr std::chrono::milliseconds kSettlePatience{500};

bool is_chosen(const std::optional<std::string>& end, const RobotConfig& robot) {
  return !end || *end == robot.name;
}

}  // namespace

std::vector<std::string> Daemon::failures() const {
  return scenario_ && !asked_ ? scenario_->failures() : std::vector<std::string>{};
}

void Daemon::window_began(SimTime from) {
  take_site_change(from);
  if (scenario_ && !scenario_->over()) {
    play(from);
  }
}

void Daemon::table_published(SimTime at) {
  if (scenario_) {
    scenario_->table_came(at);
  }
}

void Daemon::station_came(const StationNews& news) {
  if (scenario_ && !news.to.empty()) {
    scenario_->handed_over({.robot = news.robot, .to = news.to, .without = news.without});
  }
}

// Before the loops run: the first frames are measured as well.
void Daemon::prepare_scenario() {
  if (configuration_.scenario) {
    measure_delays(*configuration_.scenario);
  }
}

void Daemon::measure_delays(const Scenario& scenario) {
  if (std::ranges::any_of(scenario.expectations, [](const Expectation& expectation) {
        return expectation.kind == Expectation::Kind::kDelay;
      })) {
    delays_ = std::make_shared<DelayMeter>();
    captures_.follow(std::make_unique<DelaySink>(delays_));
  }
}

// The loops run: steps can be carried out.
void Daemon::begin_scenario() {
  if (!configuration_.scenario) {
    return;
  }
  if (!scenario_) {
    ScenarioRun& run = *this;
    scenario_.emplace(*configuration_.scenario, run);
  }
  if (windows_.engine().running()) {
    play(windows_.now());
    windows_.reschedule();
  }
}

void Daemon::play(SimTime now) {
  if (!scenario_->window_began(now)) {
    if (asked_) {
      spdlog::info("scenario {}: {}", scenario_->scenario().file,
                   scenario_->failures().empty() ? "all went as expected" : scenario_->failures().back());
      observers_.happened("scenario", {{"file", scenario_->scenario().file}, {"state", "over"}});
    } else {
      stop();
    }
  }
  windows_.attend_by(scenario_->next());
}

void Daemon::end_scenario() {
  if (!scenario_ || asked_) {
    return;
  }
  scenario_->finish(windows_.now());
  spdlog::info("scenario: {}", scenario_->failures().empty() ? "all went as expected" : "failed");
}

void Daemon::direct_scenario(const nlohmann::json& request) {
  if (request.value("stop", false)) {
    return stop_scenario();
  }
  start_scenario(request.at("text").get<std::string>(), request.value("name", "scenario"));
}

void Daemon::start_scenario(const std::string& text, const std::string& name) {
  if (scenario_ && !(asked_ && scenario_->over())) {
    throw std::runtime_error(fmt::format("the scenario {} goes on; {}", scenario_->scenario().file,
                                         asked_ ? "stop it first" : "it is the run's own, which ends with it"));
  }
  if (!windows_.engine().running()) {
    throw std::runtime_error("simulated time does not run yet; its simulators are not there");
  }
  const Scenario scenario = parse_scenario_for(configuration_, text, name);
  check_scenario_on(configuration_, document_, scenario, known_);
  const SimTime begin = windows_.now();
  measure_delays(scenario);
  ScenarioRun& run = *this;
  scenario_.emplace(scenario.later(begin.time_since_epoch()), run);
  asked_ = AskedScenario{.begin = begin, .before = asked_ ? asked_->before : std::vector<std::string>{}};
  spdlog::info("scenario {}: started at {:.9g} s", name, seconds_of(begin.time_since_epoch()));
  observers_.happened("scenario", {{"file", name}, {"state", "started"}});
  play(begin);
  windows_.reschedule();
}

void Daemon::stop_scenario() {
  if (!scenario_ || !asked_) {
    throw std::runtime_error(scenario_ ? "the scenario is the run's own; stop the run instead"
                                       : "no scenario was started in this run");
  }
  if (!asked_->before.empty()) {
    const std::vector<std::string> before = asked_->before;  // to which take_back() adds nothing
    take_back(before);
  }
  if (resume_timer_.cancel() > 0) {  // it has the run pause
    pause(false);
  }
  const std::string name = scenario_->scenario().file;
  scenario_.reset();
  asked_.reset();
  delays_.reset();
  spdlog::info("scenario {}: stopped, and what it has changed taken back", name);
  observers_.happened("scenario", {{"file", name}, {"state", "stopped"}});
}

void Daemon::remember(const std::vector<std::string>& values) {
  if (!asked_) {
    return;
  }
  for (const std::string& each : document_.standing(values)) {
    const auto same = [&](const std::string& other) { return key_of(other) == key_of(each); };
    if (std::ranges::none_of(asked_->before, same)) {
      asked_->before.push_back(each);
    }
  }
}

nlohmann::ordered_json Daemon::scenario_json() const {
  return scenario_ ? scenario_status(*scenario_, asked_ ? asked_->begin : SimTime{}, asked_.has_value()) : nullptr;
}

void Daemon::set_values(const std::vector<std::string>& values) {
  remember(values);
  set(values);
}

void Daemon::take_back(const std::vector<std::string>& before) {
  remember(before);
  change(document_.with_standing(before));
  for (const std::string& each : before) {
    spdlog::info("set back: {}", each);
  }
  observers_.happened("set_back", {{"values", before}});
}

void Daemon::pause_for(Nanoseconds length) {
  pause(true);
  resume_timer_.expires_after(length);
  resume_timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      pause(false);
    }
  });
}

void Daemon::marked(const std::string& mark, SimTime at) {
  spdlog::info("scenario: {} at {:.9g} s", mark, std::chrono::duration<double>(at.time_since_epoch()).count());
  observers_.happened("mark", {{"mark", mark}});
}

void Daemon::settle() {
  static_cast<void>(plane_->snapshot(kSettlePatience));
}

std::vector<LinkSample> Daemon::links(const LinkChoice& choice) {
  std::vector<LinkSample> samples;
  const auto& robots = configuration_.robots;
  for (std::uint32_t i = 0; i < robots.size(); ++i) {
    for (std::uint32_t j = 0; j < robots.size(); ++j) {
      const RobotIndex from{i};
      const RobotIndex to{j};
      if (is_chosen(choice.from, robots[i]) && is_chosen(choice.to, robots[j]) &&
          are_linked(configuration_, from, to)) {
        const LinkReading reading = read_link(windows_.table(), simulation_.air, link_ends(configuration_), from, to);
        samples.push_back({.from = robots[i].name,
                           .to = robots[j].name,
                           .counts = plane_->counts(slots_.link(from, to)),
                           .reachable = reading.reachable});
      }
    }
  }
  return samples;
}

void Daemon::measure_delay(std::size_t item, const LinkChoice& links) {
  delays_->begin(item, links, clock_.path_time(host_now()));
}

std::optional<DelaySample> Daemon::measured_delay(std::size_t item, double share) {
  const auto found = delays_->end(item, share, clock_.path_time(host_now()), host_now());
  if (!found) {
    return std::nullopt;
  }
  const double in_sim_time = static_cast<double>(found->percentile.count()) * configuration_.dilation.factor();
  return DelaySample{found->deliveries, Nanoseconds{static_cast<std::int64_t>(in_sim_time)}};
}

void Daemon::judged(const Expectation& expectation, const std::string& failure) {
  if (failure.empty()) {
    spdlog::info("scenario: expectation of line {} met", expectation.line);
  } else {
    spdlog::error("scenario: {}", failure);
  }
  observers_.happened("expectation", {{"line", expectation.line}, {"met", failure.empty()}, {"text", failure}});
}

}  // namespace hilgate
