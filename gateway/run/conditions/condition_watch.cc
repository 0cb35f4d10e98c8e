// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/condition_watch.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "gateway/run/conditions/found_conditions.h"

namespace hilgate {
namespace {

constexpr std::chrono::seconds kEvery{1};
constexpr std::chrono::seconds kStepShown{60};

}  // namespace

ConditionWatch::ConditionWatch(asio::io_context& context, const WatchedRun& run)
    : run_(run), timer_(context), expected_(expected_conditions(run.configuration)), ranges_(run.configuration) {}

void ConditionWatch::start() {
  load_.sample(sample_load(run_.windows, run_.plane, run_.clock.now()));
  look();
  look_again();
}

void ConditionWatch::changed() {
  expected_ = expected_conditions(run_.configuration);
  ranges_ = ValidatedRanges(run_.configuration);
}

void ConditionWatch::began_anew() {
  load_ = {};
}

void ConditionWatch::look_again() {
  timer_.expires_after(kEvery);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error) {
      load_.sample(sample_load(run_.windows, run_.plane, run_.clock.now()));
      look();
      look_again();
    }
  });
}

void ConditionWatch::find_long_packets(const std::vector<PortReport>& ports, std::vector<Condition>& found) const {
  for (std::uint32_t i = 0; i < run_.configuration.robots.size(); ++i) {
    const std::size_t place = run_.configuration.robots[i].port.value();
    if (place >= ports.size()) {
      continue;  // at another gateway
    }
    const PortReport& port = ports[place];
    if (auto condition = mtu_condition(run_.configuration, run_.simulation.air, RobotIndex{i}, port.mtu)) {
      found.push_back(std::move(*condition));
    }
  }
}

// The log has it once: it is over at once, and stands for people who come later.
void ConditionWatch::find_step(HostTime now, std::vector<Condition>& found) {
  if (run_.clock.steps() != steps_) {
    steps_ = run_.clock.steps();
    stepped_ = clock_step_condition(run_.clock.last_step());
    stepped_at_ = now;
    spdlog::warn("{}", stepped_->text);
  }
  if (stepped_ && now - stepped_at_ < kStepShown) {
    found.push_back(*stepped_);
  }
}

void ConditionWatch::look() {
  const HostTime now = run_.clock.now();
  const std::vector<PortReport> ports = run_.plane.ports();
  std::vector<Condition> found;
  // Where another gateway of the site may have them, simulators are missed once they have been here.
  const bool may_be_elsewhere = own_gateway(run_.configuration) != nullptr && is_air_external(run_.configuration);
  if (!may_be_elsewhere || run_.windows.engine().simulators_came()) {
    find_simulator_conditions(run_.configuration, run_.windows, now, found);
  }
  const bool is_silent = std::ranges::any_of(
      found, [](const Condition& one) { return one.name == "simulator_silent" && one.about == "netsim"; });
  load_.find(run_.configuration, run_.windows.report(), found);
  if (!is_silent) {
    load_.find_unjudged(run_.configuration, run_.windows.engine(), found);
  }
  ports_.find(run_.configuration, ports, run_.plane.wired(), found);
  find_long_packets(ports, found);
  if (const auto site = run_.plane.site()) {
    find_site_conditions(run_.configuration, *site, found);
    if (const auto rejoining = run_.rejoining()) {
      found.push_back(rejoining_condition(run_.configuration, *rejoining));
    }
    if (auto silence = run_.silence()) {
      found.push_back({.name = "air_without_author", .text = std::move(*silence)});
    }
  }
  for (const StoppedOutput& output : run_.stopped()) {
    found.push_back(stopped_condition(output));
  }
  run_.find_dlep(found);
  find_step(now, found);
  for (const ExpectedCondition& expected : expected_) {
    if (expected.condition.name != "robot_misplaced") {  // reported once the robot is there
      found.push_back(expected.condition);
    }
  }
  if (const Scene* scene = run_.windows.scene();
      scene != nullptr && !std::holds_alternative<LocalNetsimConfig>(run_.configuration.netsim)) {
    find_place_conditions(run_.configuration, *scene, found);
    ranges_.find(*scene, found);
  }
  find_mesh_conditions(run_.configuration, run_.windows.table(), found);
  conditions_.update(std::move(found), now);
}

}  // namespace hilgate
