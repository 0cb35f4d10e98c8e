// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "gateway/status/clock_status.h"

namespace hilgate {
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
