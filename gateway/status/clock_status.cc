// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/clock_status.h"

#include <algorithm>

#include "clock/host_now.h"
#include "clock/servo/clock_report.h"

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
  return {{"source", name(source)},        {"state", name(report.state)},
          {"rate", report.rate},           {"offset_us", microseconds_of(report.offset)},
          {"saturated", report.saturated}, {"heard", report.heard},
          {"holds", report.holds},         {"jumps", report.jumps},
          {"lags", report.lags},           {"saturations", report.saturations}};
}

// Of a port that is not served, or not yet, with no counts.
Json port_json(const TimeServer& server, const TimeServer::Port& port, HostTime now) {
  const GrandmasterPort* const served = port.grandmaster.get();
  const GrandmasterCounters counters = served != nullptr ? served->master().counters() : GrandmasterCounters{};
  return {{"port", port.name},
          {"transport", served != nullptr ? served->transport().describe() : "none"},
          {"time", port.config.time == ServeConfig::Time::kSim ? "sim" : "wall"},
          {"domain", port.config.master.domain},
          {"identity", served != nullptr ? to_string(served->transport().identity()) : ""},
          {"state", served != nullptr ? name(served->master().state()) : "waiting"},
          {"problem", port.problem},
          {"slaves", served != nullptr ? served->master().slaves(now) : 0},
          {"other_masters", served != nullptr ? served->master().other_masters(now) : 0},
          {"announces", counters.announces},
          {"syncs", counters.syncs},
          {"follow_ups", counters.follow_ups},
          {"delay_answers", counters.delay_answers},
          {"unsent", counters.unsent},
          {"missing_stamps", counters.missing_stamps + (served != nullptr ? served->transport().unstamped() : 0)},
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
