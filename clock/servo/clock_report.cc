// SPDX-License-Identifier: Apache-2.0
#include "clock/servo/clock_report.h"

#include <fmt/format.h>

namespace hilgate {
namespace {

std::string timescale(const ClockStatus& status) {
  if (!status.properties) {
    return "unknown timescale";
  }
  const TimeProperties& properties = *status.properties;
  if (!properties.ptp_timescale) {
    return "arbitrary timescale (the PTP timescale flag is 0)";
  }
  return fmt::format("TAI, {} s ahead of UTC{}", properties.utc_offset_s,
                     properties.utc_offset_valid ? "" : " (not marked as valid)");
}

std::string counted(const ClockEvents& events) {
  std::string text;
  for (std::size_t i = 0; i < kClockEventKinds; ++i) {
    const auto kind = static_cast<ClockEventKind>(i);
    if (events.count(kind) > 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name(kind), events.count(kind));
    }
  }
  return text.empty() ? "none" : text;
}

std::string who(const ClockStatus& status) {
  return status.grandmaster ? to_string(*status.grandmaster) : "none";
}

nlohmann::ordered_json clock_json(const ClockStatus& status) {
  nlohmann::ordered_json json{
      {"source", status.source},
      {"state", name(status.state)},
      {"problem", status.problem},
      {"grandmaster",
       status.grandmaster ? nlohmann::ordered_json(to_string(*status.grandmaster)) : nlohmann::ordered_json()},
      {"port_state", name(status.port_state)},
      {"rate_ppb", status.rate_ppb},
      {"offset_last_ns", status.offset.last.count()},
      {"offset_rms_ns", status.offset.rms.count()},
      {"offset_p99_ns", status.offset.p99.count()},
      {"offset_max_ns", status.offset.most.count()},
      {"measurements", status.offset.samples},
      {"path_delay_ns",
       status.path_delay ? nlohmann::ordered_json(status.path_delay->count()) : nlohmann::ordered_json()},
      {"drift_allowance_ns", status.drift_allowance.count()},
      {"wall_ns", status.wall.time_since_epoch().count()},
      {"malformed", status.malformed}};
  if (status.properties) {
    json["utc_offset_s"] = status.properties->utc_offset_s;
    json["ptp_timescale"] = status.properties->ptp_timescale;
    json["leap"] = status.properties->leap_61 ? 61 : status.properties->leap_59 ? 59 : 60;
  }
  return json;
}

nlohmann::ordered_json counts_json(const ClockEvents& events) {
  auto json = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < kClockEventKinds; ++i) {
    json[std::string(kClockEventNames[i])] = events.count(static_cast<ClockEventKind>(i));
  }
  return json;
}

}  // namespace

std::string to_text(const ClockStatus& status, const ClockEvents& events) {
  std::string text;
  const auto line = [&](std::string_view what, const std::string& value) {
    text += fmt::format("{:<12} {}\n", what, value);
  };
  line("state", std::string{name(status.state)});
  line("source", status.source);
  if (!status.problem.empty()) {
    line("problem", status.problem);
  }
  line("grandmaster", fmt::format("{}, port {}, {}", who(status), name(status.port_state), timescale(status)));
  const OffsetSummary& offset = status.offset;
  line("offset", fmt::format("last {} ns, rms {} ns, p99 {} ns, max {} ns, {} measurements", offset.last.count(),
                             offset.rms.count(), offset.p99.count(), offset.most.count(), offset.samples));
  line("rate", fmt::format("{:+.1f} ppb relative to the host's oscillator", status.rate_ppb));
  line("path delay", status.path_delay ? fmt::format("{} ns", status.path_delay->count()) : std::string{"unknown"});
  if (status.state == ReferenceState::kHoldover) {
    line("holdover", fmt::format("drift at most {} ns", status.drift_allowance.count()));
  }
  line("windows",
       fmt::format("current window {}; boundary error as the clock's, p99 {} ns", status.window, offset.p99.count()));
  line("steps", fmt::format("{}", events.count(ClockEventKind::kStep)));
  line("ignored", fmt::format("{} malformed messages", status.malformed));
  line("events", counted(events));
  return text;
}

std::string to_json(const ClockStatus& status, const ClockEvents& events) {
  nlohmann::ordered_json json = clock_json(status);
  json["window"] = status.window;
  json["events"] = counts_json(events);
  return json.dump();
}

std::string trace_heading() {
  return "host_ns,wall_ns,offset_ns,rate_ppb,path_delay_ns,state,grandmaster";
}

std::string trace_line(const DisciplinedClock& clock, HostTime now) {
  const ClockStatus status = clock.status(now);
  const ReferenceSample& sample = *clock.last_sample();
  return fmt::format("{},{},{},{:.3f},{},{},{}", sample.host.time_since_epoch().count(),
                     sample.wall.time_since_epoch().count(), clock.last_offset().count(), status.rate_ppb,
                     status.path_delay ? std::to_string(status.path_delay->count()) : "", name(status.state),
                     status.grandmaster ? to_string(*status.grandmaster) : "");
}

}  // namespace hilgate
