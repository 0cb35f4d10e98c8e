// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/status/clock_status.h"

#include <algorithm>

#include "clock/command/clock_report.h"
#include "clock/host_now.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShown = 8;  // of what happened last

Json recent_json(const ClockEvents& events, HostTime now) {
  Json json = Json::array();
  const auto& recent = events.recent();
  for (std::size_t i = recent.size() - std::min(recent.size(), kShown); i < recent.size(); ++i) {
    json.push_back(
        {{"ago_s", seconds_of(now - recent[i].at)}, {"event", name(recent[i].kind)}, {"text", recent[i].text}});
  }
  return json;
}

Json reference_json(const RunClock& clock, HostTime now) {
  const ClockStatus status = clock.clock().status(now);
  Json json{{"source", name(clock.reference().kind)}, {"reading", status.source}};
  Json more = clock_json(status);
  more.erase("source");
  json.update(more);
  return json;
}

const char* name(FollowState state) {
  switch (state) {
    case FollowState::kWaiting:
      return "waiting";
    case FollowState::kHolding:
      return "holding";
    case FollowState::kFollowing:
      break;
  }
  return "following";
}

Json follow_json(const PhysicsFollower& follower, FollowSource source) {
  const FollowReport& report = follower.report();
  return {{"source", name(source)},
          {"state", name(report.state)},
          {"rate", report.rate},
          {"offset_us", microseconds_of(report.offset)},
          {"saturated", report.saturated},
          {"heard", report.heard},
          {"holds", report.holds},
          {"jumps", report.jumps},
          {"saturations", report.saturations}};
}

Json port_json(const TimeServer& server, const TimeServer::Port& port, HostTime now) {
  const Grandmaster& master = port.grandmaster->master();
  const GrandmasterCounters& counters = master.counters();
  return {{"port", port.name},
          {"transport", port.grandmaster->transport().describe()},
          {"time", port.config.time == ServeConfig::Time::kSim ? "sim" : "wall"},
          {"domain", port.config.master.domain},
          {"identity", to_string(port.grandmaster->transport().identity())},
          {"state", name(master.state())},
          {"slaves", master.slaves(now)},
          {"other_masters", master.other_masters(now)},
          {"announces", counters.announces},
          {"syncs", counters.syncs},
          {"follow_ups", counters.follow_ups},
          {"delay_answers", counters.delay_answers},
          {"unsent", counters.unsent},
          {"missing_stamps", counters.missing_stamps + port.grandmaster->transport().unstamped()},
          {"malformed", counters.malformed},
          {"ignored", counters.ignored},
          {"limited", counters.limited},
          {"foreign_announces", counters.foreign_announces},
          {"events", counts_json(port.events)},
          {"recent", recent_json(port.events, now)},
          {"warnings", server.warnings(port)}};
}

}  // namespace

Json clock_status(const RunClock& clock, const TimeServer& server, const Windows& windows, Nanoseconds tsc_error) {
  const HostTime now = host_now();
  const ClockEvents& events = clock.clock().events();
  Json json = reference_json(clock, now);
  json["steps"] = events.count(ClockEventKind::kStep);
  json["losses"] = events.count(ClockEventKind::kReferenceLost);
  json["window_late_p99_ns"] = windows.engine().boundaries().quantile(0.99).count();
  json["factor"] = clock.timeline().factor();
  json["paused"] = clock.timeline().stands();
  // In lockstep there are windows alone.
  json["sim_ns"] = std::max(clock.timeline().sim_at(now), windows.now()).time_since_epoch().count();
  if (const PhysicsFollower* follower = clock.timeline().follower()) {
    json["follow"] = follow_json(*follower, clock.followed());
  }
  json["tsc_error_ns"] = tsc_error.count();
  json["events"] = counts_json(events);
  json["recent"] = recent_json(events, now);
  json["serves"] = Json::array();
  for (const auto& port : server.ports()) {
    json["serves"].push_back(port_json(server, *port, now));
  }
  return json;
}

}  // namespace hilgate
