// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/conditions/load_meter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

}  // namespace hilgate
