// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/clock_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "clock/host_now.h"
#include "clock/servo/disciplined_clock.h"

namespace hilgate {
namespace {

constexpr std::size_t kShown = 8;  // of what happened last

std::vector<RecentEventStatus> recent_status(const ClockEvents& events, HostTime now) {
  std::vector<RecentEventStatus> shown;
  const auto& recent = events.recent();
  for (std::size_t i = recent.size() - std::min(recent.size(), kShown); i < recent.size(); ++i) {
    shown.push_back({.ago = now - recent[i].at, .event = name(recent[i].kind), .text = recent[i].text});
  }
  return shown;
}

NamedCounts counts_of(const ClockEvents& events) {
  NamedCounts counts;
  for (std::size_t i = 0; i < kClockEventKinds; ++i) {
    counts.emplace_back(std::string(kClockEventNames[i]), events.count(static_cast<ClockEventKind>(i)));
  }
  return counts;
}

ClockReportStatus reference_status(const RunClock& clock, HostTime now) {
  const ClockStatus reference = clock.clock().status(now);
  ClockReportStatus status{.source = name(clock.reference().kind),
                           .reading = reference.source,
                           .state = name(reference.state),
                           .problem = reference.problem,
                           .grandmaster = {},
                           .port_state = name(reference.port_state),
                           .rate = {reference.rate_ppb},
                           .offset_last = reference.offset.last,
                           .offset_rms = reference.offset.rms,
                           .offset_p99 = reference.offset.p99,
                           .offset_max = reference.offset.most,
                           .measurements = reference.offset.samples,
                           .path_delay = {reference.path_delay},
                           .drift_allowance = reference.drift_allowance,
                           .wall = reference.wall,
                           .malformed = reference.malformed};
  if (reference.grandmaster) {
    status.grandmaster.value = to_string(*reference.grandmaster);
  }
  if (reference.properties) {
    status.utc_offset = reference.properties->utc_offset_s;
    status.ptp_timescale = reference.properties->ptp_timescale;
    status.leap = reference.properties->leap_61 ? 61 : reference.properties->leap_59 ? 59 : 60;
  }
  return status;
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

FollowStatus follow_status(const PhysicsFollower& follower, FollowSource source) {
  const FollowReport& report = follower.report();
  return {.source = name(source),
          .state = name(report.state),
          .rate = report.rate,
          .offset = report.offset,
          .saturated = report.saturated,
          .heard = report.heard,
          .holds = report.holds,
          .jumps = report.jumps,
          .lags = report.lags,
          .saturations = report.saturations};
}

// Of a port that is not served, or not yet, with no counts.
ServedPortStatus served_status(const TimeServer& server, const TimeServer::Port& port, HostTime now) {
  ServedPortStatus status{.port = port.name,
                          .transport = "none",
                          .time = port.config.time == ServeConfig::Time::kSim ? "sim" : "wall",
                          .domain = port.config.master.domain,
                          .identity = {},
                          .state = "waiting",
                          .problem = port.problem,
                          .events = counts_of(port.events),
                          .recent = recent_status(port.events, now),
                          .warnings = server.warnings(port)};
  const GrandmasterPort* const served = port.grandmaster.get();
  if (served == nullptr) {
    return status;
  }
  const GrandmasterCounters counters = served->master().counters();
  status.transport = served->transport().describe();
  status.identity = to_string(served->transport().identity());
  status.state = name(served->master().state());
  status.slaves = served->master().slaves(now);
  status.other_masters = served->master().other_masters(now);
  status.announces = counters.announces;
  status.syncs = counters.syncs;
  status.follow_ups = counters.follow_ups;
  status.delay_answers = counters.delay_answers;
  status.unsent = counters.unsent;
  status.missing_stamps = counters.missing_stamps + served->transport().unstamped();
  status.malformed = counters.malformed;
  status.ignored = counters.ignored;
  status.limited = counters.limited;
  status.foreign_announces = counters.foreign_announces;
  return status;
}

}  // namespace

ClockReportStatus clock_status(const RunClock& clock, const TimeServer& server, const Windows& windows,
                               Nanoseconds tsc_error) {
  const HostTime now = host_now();
  const ClockEvents& events = clock.clock().events();
  ClockReportStatus status = reference_status(clock, now);
  status.steps = events.count(ClockEventKind::kStep);
  status.losses = events.count(ClockEventKind::kReferenceLost);
  status.window_late_p99 = windows.engine().boundaries().quantile(0.99);
  status.factor = clock.timeline().factor();
  status.paused = clock.timeline().stands();
  status.sim = std::max(clock.timeline().sim_at(now), windows.now());  // in lockstep there are windows alone
  if (const PhysicsFollower* follower = clock.timeline().follower()) {
    status.follow = follow_status(*follower, clock.followed());
  }
  status.tsc_error = tsc_error;
  status.events = counts_of(events);
  status.recent = recent_status(events, now);
  for (const auto& port : server.ports()) {
    status.serves.push_back(served_status(server, *port, now));
  }
  return status;
}

namespace {

using Json = nlohmann::ordered_json;
using Out = std::back_insert_iterator<std::string>;

std::string text_of(const Json& json, const char* key) {
  return json[key].is_string() ? json[key].get<std::string>() : "none";
}
std::int64_t whole(const Json& json, const char* key) {
  return json[key].get<std::int64_t>();
}

std::string counted(const Json& events) {
  std::string text;
  for (const auto& [name, count] : events.items()) {
    if (count.get<std::uint64_t>() > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, count.get<std::uint64_t>());
    }
  }
  return text.empty() ? "none" : text;
}

void write_reference(Out out, const Json& clock) {
  fmt::format_to(out, "clock {}: {}\n", text_of(clock, "state"), text_of(clock, "reading"));
  if (!clock["problem"].get<std::string>().empty()) {
    fmt::format_to(out, "  problem: {}\n", text_of(clock, "problem"));
  }
  if (text_of(clock, "source") == "monotonic") {
    return;
  }
  const std::string delay =
      clock["path_delay_ns"].is_null() ? "unknown" : fmt::format("{} ns", whole(clock, "path_delay_ns"));
  fmt::format_to(out, "  grandmaster {}, port {}, path delay {}, rate {:+.1f} ppb\n", text_of(clock, "grandmaster"),
                 text_of(clock, "port_state"), delay, clock["rate_ppb"].get<double>());
  fmt::format_to(out, "  offset last {} ns, rms {} ns, p99 {} ns, max {} ns, {} measurements\n",
                 whole(clock, "offset_last_ns"), whole(clock, "offset_rms_ns"), whole(clock, "offset_p99_ns"),
                 whole(clock, "offset_max_ns"), whole(clock, "measurements"));
  if (whole(clock, "drift_allowance_ns") > 0) {
    fmt::format_to(out, "  holdover: drift at most {} ns\n", whole(clock, "drift_allowance_ns"));
  }
  fmt::format_to(out, "  window start late by {:.1f} us (p99); steps {}, losses {}; events: {}\n",
                 static_cast<double>(whole(clock, "window_late_p99_ns")) / 1e3, whole(clock, "steps"),
                 whole(clock, "losses"), counted(clock["events"]));
}

void write_follow(Out out, const Json& clock) {
  if (!clock.contains("follow")) {
    return;
  }
  const Json& follow = clock["follow"];
  fmt::format_to(out, "  {} physics by {}: at {:.1f} % of wall time, offset {:.3f} ms{}; held {} times, jumps {}\n",
                 text_of(follow, "state"), text_of(follow, "source"), 100 * follow["rate"].get<double>(),
                 follow["offset_us"].get<double>() / 1e3,
                 follow["saturated"].get<bool>() ? ", SATURATED: beyond the bounds of `follow:`" : "",
                 whole(follow, "holds"), whole(follow, "jumps"));
}

void write_port(Out out, const Json& port) {
  fmt::format_to(out, "  serves {} time on {}: {}, domain {}, {}, {} slaves; syncs {}, answers {}; events: {}\n",
                 text_of(port, "time"), text_of(port, "port"), text_of(port, "transport"), whole(port, "domain"),
                 text_of(port, "state"), whole(port, "slaves"), whole(port, "syncs"), whole(port, "delay_answers"),
                 counted(port["events"]));
  if (!port["problem"].get<std::string>().empty()) {
    fmt::format_to(out, "    problem: {}\n", port["problem"].get<std::string>());
  }
  for (const Json& warning : port["warnings"]) {
    fmt::format_to(out, "    warning: {}\n", warning.get<std::string>());
  }
}

}  // namespace

std::string clock_text(const Json& clock) {
  std::string text;
  const Out out = std::back_inserter(text);
  write_reference(out, clock);
  if (const double factor = clock["factor"].get<double>(); factor != 1 || clock["paused"].get<bool>()) {
    fmt::format_to(out, "  simulation time at {:g} of wall time{}\n", factor,
                   clock["paused"].get<bool>() ? ", paused" : "");
  }
  write_follow(out, clock);
  for (const Json& port : clock["serves"]) {
    write_port(out, port);
  }
  return text;
}

}  // namespace hilgate
