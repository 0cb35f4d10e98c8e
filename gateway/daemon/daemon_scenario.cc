// SPDX-License-Identifier: Apache-2.0
// A scenario on a running gateway: its steps go the way of `hilgate set`.
#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "clock/host_now.h"
#include "gateway/daemon/daemon.h"
#include "gateway/daemon/telemetry/link_reading.h"

namespace hilgate {
namespace {

// The loop answers within an iteration; a sanitized build on a busy machine may be descheduled.
constexpr std::chrono::milliseconds kSettlePatience{500};

bool is_chosen(const std::optional<std::string>& end, const RobotConfig& robot) {
  return !end || *end == robot.name;
}

}  // namespace

std::vector<std::string> Daemon::failures() const {
  return scenario_ ? scenario_->failures() : std::vector<std::string>{};
}

void Daemon::tell_of_run() {
  windows_.tell({.window_began =
                     [this](SimTime from) {
                       if (scenario_) {
                         play(from);
                       }
                     },
                 .table_came =
                     [this](SimTime at) {
                       if (scenario_) {
                         scenario_->table_came(at);
                       }
                     },
                 .station_came =
                     [this](const Stations::News& news) {
                       events_.tell("station", {{"robot", news.robot}, {"access_point", news.to}, {"text", news.text}});
                       if (scenario_ && !news.to.empty()) {
                         scenario_->handed_over({.robot = news.robot, .to = news.to, .without = news.without});
                       }
                     }});
  conditions_.tell([this](const Condition& condition, bool begins) {
    events_.tell(begins ? "condition" : "condition_over",
                 {{"name", condition.name}, {"about", condition.about}, {"text", condition.text}});
  });
}

// Before the loops run: the first frames are measured as well.
void Daemon::prepare_scenario() {
  const auto& scenario = configuration_.scenario;
  if (scenario && std::ranges::any_of(scenario->expectations, [](const Expectation& expectation) {
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
  ScenarioRun& run = *this;
  scenario_.emplace(*configuration_.scenario, run);
  if (windows_.engine().running()) {
    play(windows_.now());
    windows_.reschedule();
  }
}

void Daemon::play(SimTime now) {
  if (!scenario_->window_began(now)) {
    stop();
  }
  windows_.attend_by(scenario_->next());
}

void Daemon::end_scenario() {
  if (!scenario_) {
    return;
  }
  scenario_->finish(windows_.now());
  spdlog::info("scenario: {}", scenario_->failures().empty() ? "all went as expected" : "failed");
}

std::vector<std::string> Daemon::standing(const std::vector<std::string>& values) {
  std::vector<std::string> standing;
  for (const std::string& value : values) {
    const auto& all = document_.assignments();
    const auto before = std::ranges::find_if(all, [&](const auto& each) { return key_of(each) == key_of(value); });
    standing.push_back(before != all.end() ? *before : std::string(key_of(value)));
  }
  return standing;
}

void Daemon::take_back(const std::vector<std::string>& before) {
  std::vector<std::string> values;
  std::vector<std::string> keys;
  for (const std::string& each : before) {
    (each.find('=') != std::string::npos ? values : keys).push_back(each);
  }
  change(document_.without(keys).with(values));
  for (const std::string& each : before) {
    spdlog::info("set back: {}", each);
  }
  events_.tell("set_back", {{"values", before}});
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
  events_.tell("mark", {{"mark", mark}});
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
  events_.tell("expectation", {{"line", expectation.line}, {"met", failure.empty()}, {"text", failure}});
}

}  // namespace hilgate
