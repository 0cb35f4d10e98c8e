// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/condition_watch.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <utility>

#include "gateway/configuration/reader/installed_names.h"
#include "gateway/run/conditions/found_conditions.h"
#include "rf_profiles/profile/profile_loader.h"
#include "rf_profiles/profile/validation_text.h"

namespace hilgate {
namespace {

// A share of fewer windows is not significant.
constexpr std::uint64_t kLeastWindows = 20;
// Likewise of packets.
constexpr std::uint64_t kLeastPackets = 3;

std::string cause_of(const LoadSample& first, const LoadSample& last, const Configuration& configuration,
                     const WindowReport& report) {
  const auto most = std::max(last.physics_late - first.physics_late, last.network_late - first.network_late);
  if (2 * most > last.missed - first.missed) {
    return last.physics_late - first.physics_late == most ? "the physics simulator answers late"
                                                          : "the network simulator answers late";
  }
  if (2 * report.last_compute > configuration.window) {
    return fmt::format("computing one takes {:.3g} ms: choose a longer window", seconds_of(report.last_compute) * 1e3);
  }
  return fmt::format("the host is too busy{}", configuration.real_time ? "" : "; `scheduling: realtime` helps");
}

}  // namespace

LoadSample sample_load(const Windows& windows, const DataPlane& plane, HostTime now) {
  LoadSample sample{.at = now,
                    .windows = windows.engine().window(),
                    .missed = windows.report().missed,
                    .physics_late = windows.engine().physics_stats().late.count(),
                    .network_late = windows.engine().network_stats().late.count(),
                    .packets = windows.engine().verdict_stats().offered + windows.packets().unasked(),
                    .unjudged = windows.engine().verdict_stats().expired + windows.packets().unasked()};
  for (const LoopReport& loop : plane.loops()) {
    sample.stalled.push_back(loop.stalled);
  }
  return sample;
}

void LoadMeter::sample(LoadSample sample) {
  while (samples_.size() > 1 && sample.at - samples_[1].at >= kSpan) {
    samples_.pop_front();
  }
  samples_.push_back(std::move(sample));
}

void LoadMeter::find(const Configuration& configuration, const WindowReport& report,
                     std::vector<Condition>& found) const {
  if (samples_.size() < 2) {
    return;
  }
  const LoadSample& first = samples_.front();
  const LoadSample& last = samples_.back();
  const double seconds = seconds_of(last.at - first.at);
  const std::uint64_t windows = last.windows - first.windows;
  const auto missed =
      static_cast<double>(last.missed - first.missed) / static_cast<double>(std::max<std::uint64_t>(windows, 1));
  if (configuration.pace != Pace::kLockstep && windows >= kLeastWindows && missed > kMissed) {
    found.push_back(
        {.name = "windows_missed",
         .text = fmt::format("windows: {:.0f} % of the last {:.0f} s were missed, {} since the start: {}", 100 * missed,
                             seconds, last.missed, cause_of(first, last, configuration, report)),
         .lasts = kSpan});
  }
  for (std::size_t i = 0; i < std::min(first.stalled.size(), last.stalled.size()); ++i) {
    const double share = seconds_of(last.stalled[i] - first.stalled[i]) / seconds;
    if (share > kStalled) {
      found.push_back(
          {.name = "loop_stalled",
           .about = std::to_string(i),
           .text = fmt::format("packet loop{}: stood still for {:.0f} % of the last {:.0f} s: the host is too busy; "
                               "frames are late and queues overflow",
                               last.stalled.size() > 1 ? fmt::format(" {}", i) : "", 100 * share, seconds),
           .lasts = kSpan});
    }
  }
}

void LoadMeter::find_unjudged(const Configuration& configuration, const WindowEngine& engine,
                              std::vector<Condition>& found) const {
  if (samples_.size() < 2 || !engine.last_expired()) {
    return;
  }
  const LoadSample& first = samples_.front();
  const LoadSample& last = samples_.back();
  const std::uint64_t unjudged = last.unjudged - first.unjudged;
  const std::uint64_t packets = std::max(last.packets - first.packets, unjudged);
  const double share = static_cast<double>(unjudged) / static_cast<double>(std::max<std::uint64_t>(packets, 1));
  const PacketLedger::Ends& ends = *engine.last_expired();
  const auto name = [&configuration](RobotIndex robot) {
    return robot.value() < configuration.robots.size() ? configuration.robots[robot.value()].name : "one that has left";
  };
  if (packets >= kLeastPackets && share > kUnjudged) {
    found.push_back(
        {.name = "verdicts_missing",
         .about = "netsim",
         .text = fmt::format("netsim: says nothing of {:.0f} % of the packets of the last {:.0f} s, which are dropped "
                             "as verdict_missing; the last one was from {} to {}: does it have these robots?",
                             100 * share, seconds_of(last.at - first.at), name(ends.sender),
                             ends.receiver ? name(*ends.receiver) : "all"),
         .lasts = kSpan});
  }
}

namespace {

constexpr std::chrono::seconds kOutsideShown{10};  // links at the end of a range do not begin and end it all the time

double flat_square_m2(const Vec3& one, const Vec3& other) {
  const double east = one.x - other.x;
  const double north = one.y - other.y;
  return east * east + north * north;
}

}  // namespace

ValidatedRanges::ValidatedRanges(const Configuration& configuration) {
  if (!std::holds_alternative<EmbeddedConfig>(configuration.netsim)) {
    return;
  }
  const auto folders = profile_folders(configuration.profile_paths);
  std::map<std::string, RadioProfile> profiles;
  std::map<std::string, std::size_t> domains;
  for (const RobotConfig& robot : configuration.robots) {
    std::optional<Radio>& radio = radios_.emplace_back();
    Range& range = ranges_.emplace_back();
    if (robot.radio.empty()) {
      continue;
    }
    auto at = profiles.find(robot.radio);
    if (at == profiles.end()) {
      at = profiles.emplace(robot.radio, load_radio_profile(find_radio_profile(robot.radio, folders))).first;
    }
    radio = Radio{robot.name, robot.radio, at->second.validation};
    range.domain = domains.emplace(at->second.mac.domain, domains.size() + 1).first->second;
    if (const auto& distance = radio->validation.distance) {
      range.least_m2 = distance->first.value * distance->first.value;
      range.most_m2 = distance->second.value * distance->second.value;
    }
  }
}

void ValidatedRanges::find(const Scene& scene, std::vector<Condition>& found) const {
  std::vector<std::string> links;  // those that the list shows: of many robots most links may be outside
  std::size_t others = 0;
  const std::size_t robots = std::min(scene.robots.size(), ranges_.size());
  for (std::size_t i = 0; i < robots; ++i) {
    const Range& range = ranges_[i];
    for (std::size_t j = i + 1; range.domain != 0 && j < robots; ++j) {
      const double square_m2 = flat_square_m2(scene.robots[i].position, scene.robots[j].position);
      if (ranges_[j].domain != range.domain || (square_m2 >= range.least_m2 && square_m2 <= range.most_m2)) {
        continue;
      }
      if (links.size() < kNamesShown) {
        links.push_back(text_of(i, j, scene));
      } else {
        ++others;
      }
    }
  }
  if (!links.empty()) {
    found.push_back({.name = "outside_validation",
                     .text = fmt::format("links: outside the distances at which their path loss was compared: {}",
                                         name_list(links, others)),
                     .lasts = kOutsideShown});
  }
}

std::string ValidatedRanges::text_of(std::size_t one, std::size_t other, const Scene& scene) const {
  const double distance_m = std::sqrt(flat_square_m2(scene.robots[one].position, scene.robots[other].position));
  return fmt::format("{}-{} at {:.4g} m ({}: {})", radios_[one]->robot, radios_[other]->robot, distance_m,
                     radios_[one]->profile, validated_distance(radios_[one]->validation));
}

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
