// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/panels.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "gateway/status/model/value_text.h"
#include "gateway/views/top/text_table.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMuch = 0.05;  // of windows

double number_in(const Json& json, const char* key) {
  return json.value(key, 0.0);
}

std::string count_in(const Json& json, const char* key) {
  return count_text(number_in(json, key));
}

std::string micros_in(const Json& json, const char* key) {
  return micros_text(number_in(json, key));
}

std::string joined(const std::string& one, const std::string& other, const char* between) {
  return one.empty() || other.empty() ? one + other : one + between + other;
}

void add_space(PageLines& lines, const std::string& heading) {
  lines.emplace_back();
  lines.push_back({{{heading, Ink::kStrong}}});
}

void append(PageLines& lines, PageLines more) {
  std::ranges::move(more, std::back_inserter(lines));
}

/// Names with their values.
class Facts {
 public:
  void add(const std::string& name, const std::string& text, bool bad = false) {
    constexpr std::size_t kName = 18;
    lines_.push_back({{{padded(name, kName) + " ", Ink::kDim}, {text, bad ? Ink::kBad : Ink::kPlain}}});
  }
  PageLines lines_;
};

// Frames, or bytes of a serial line.
std::string lost_text(const Json& port, const char* frames, const char* bytes) {
  const Json counts = port.value("counts", Json::object());
  return number_in(counts, bytes) > 0 ? count_in(counts, bytes) + " B" : count_in(port, frames);
}

TextTable port_table(const SeenRun& run) {
  TextTable table({"port", "interface", "driver, mode", "lost in", "lost out", "state"});
  for (const Json& port : part_of(*run.status, "ports")) {
    const auto state = port.value("state", "");
    const bool bad = state != "up" || number_in(port, "lost_at_capture") + number_in(port, "lost_at_sending") +
                                              number_in(port, "lost_line_bytes") >
                                          0;
    table.add({port.value("name", ""), port.value("interface", ""),
               joined(port.value("driver", ""), port.value("mode", ""), ", "),
               lost_text(port, "lost_at_capture", "bytes_overflow"), lost_text(port, "lost_at_sending", "bytes_closed"),
               joined(state, port.value("problem", ""), ": ")},
              bad ? Ink::kBad : Ink::kPlain);
  }
  return table;
}

std::string position_text(const Json& robot) {
  std::string text;
  for (const Json& each : part_of(robot, "position")) {
    text += fmt::format("{}{:.1f}", text.empty() ? "" : ", ", each.get<double>());
  }
  return text.empty() ? "-" : text;
}

std::string radio_of(const SeenRun& run, const std::string& robot) {
  if (run.world.is_object()) {
    for (const Json& each : part_of(run.world, "robots")) {
      if (each.value("name", "") == robot && !each.value("radio", "").empty()) {
        return each.value("radio", "");
      }
    }
  }
  return "-";
}

std::string station_text(const SeenRun& run, const std::string& robot) {
  for (const Json& station : part_of(*run.status, "stations")) {
    if (station.value("robot", "") == robot) {
      return station.value("state", "") == "associated"
                 ? fmt::format("{}, {}", station.value("access_point", ""),
                               number_text(number_in(station, "rssi_dbm"), "dBm"))
                 : station.value("state", "");
    }
  }
  return "";
}

TextTable robot_table(const SeenRun& run) {
  TextTable table({"robot", "port", "position, m", "radio", "access point"});
  for (const Json& robot : part_of(*run.status, "robots")) {
    const auto name = robot.value("name", "");
    const bool unplugged = robot.value("unplugged", false);
    table.add({name, robot.value("port", "") + (unplugged ? " (unplugged)" : ""), position_text(robot),
               radio_of(run, name), station_text(run, name)},
              unplugged ? Ink::kBad : Ink::kPlain);
  }
  return table;
}

void add_simulators(Facts& facts, const Json& window) {
  for (const Json& simulator : part_of(window, "simulators")) {
    const double late = number_in(simulator, "late_share");
    facts.add(simulator.value("name", ""),
              fmt::format("answers in {}, p99 {}; late {}, missed {}", micros_in(simulator, "round_trip_p50_us"),
                          micros_in(simulator, "round_trip_p99_us"), percent_text(late), count_in(simulator, "missed")),
              late > kMuch);
    for (const Json& socket : part_of(simulator, "sockets")) {
      facts.add("", "at " + socket.get<std::string>());
    }
  }
}

void add_verdicts(Facts& facts, const Json& status) {
  if (!status.contains("verdicts")) {
    return;
  }
  const Json& verdicts = status["verdicts"];
  facts.add("verdicts",
            fmt::format("{} of {} applied; late {}, expired {}; shortest exact delay {}", count_in(verdicts, "passed"),
                        count_in(verdicts, "offered"), count_in(verdicts, "late"), count_in(verdicts, "expired"),
                        micros_in(verdicts, "causality_floor_us")));
}

void add_loops(Facts& facts, const Json& status) {
  const Json& loop = part_of(status, "loop");
  facts.add("releases late",
            fmt::format("p50 {}, p99 {}, most {}", micros_in(loop, "release_error_p50_us"),
                        micros_in(loop, "release_error_p99_us"), micros_in(loop, "release_error_max_us")));
  int number = 0;
  for (const Json& thread : part_of(loop, "threads")) {
    const double up = number_in(status, "uptime_s");
    facts.add(fmt::format("packet loop {}", number++),
              fmt::format("{}, {}s when idle, asleep {} of the time",
                          thread.contains("cpu") ? fmt::format("cpu {}", thread["cpu"].get<int>()) : "any processor",
                          thread.value("idle", ""), percent_text(up > 0 ? number_in(thread, "asleep_s") / up : 0)));
  }
}

void add_served_clocks(Facts& facts, const Json& clock) {
  for (const Json& each : part_of(clock, "serves")) {
    facts.add("PTP on " + each.value("port", ""),
              joined(fmt::format("{}, {} slaves", each.value("state", ""), count_in(each, "slaves")),
                     each.value("problem", ""), ": "),
              !each.value("problem", "").empty());
  }
}

}  // namespace

PageLines port_panel(const SeenRun& run, const std::string& filter) {
  PageLines lines = port_table(run).lines(filter);
  add_space(lines, "Robots");
  append(lines, robot_table(run).lines(filter));
  const Json& strangers = part_of(*run.status, "unknown_senders");
  if (!strangers.empty()) {
    add_space(lines, "Unknown senders");
  }
  for (const Json& each : strangers) {
    lines.push_back({{{fmt::format("{} sends on {} and is no robot: {} frames dropped", each.value("mac", ""),
                                   each.value("port", ""), count_in(each, "frames")),
                       Ink::kDoubtful}}});
  }
  return lines;
}

PageLines simulator_panel(const SeenRun& run) {
  const Json& status = *run.status;
  const Json& window = part_of(status, "window");
  const double published = number_in(window, "published");
  const double missed = number_in(window, "missed");
  const double share = missed > 0 ? missed / (published + missed) : 0;
  Facts facts;
  facts.add("window",
            fmt::format("{}, {} published, {} missed ({})", micros_in(window, "length_us"), count_text(published),
                        count_text(missed), percent_text(share)),
            share > kMuch);
  facts.add("boundaries late", "p99 " + micros_in(window, "boundary_p99_us"));
  facts.add("computing",
            fmt::format("last {}, most {}", micros_in(window, "last_compute_us"), micros_in(window, "most_compute_us")),
            number_in(window, "most_compute_us") > number_in(window, "length_us"));
  if (!window.value("running", true)) {
    facts.add("stopped", window.value("last_event", ""), true);
  }
  add_simulators(facts, window);
  add_verdicts(facts, status);
  add_loops(facts, status);
  for (const Json& medium : part_of(status, "media")) {
    const double use = number_in(medium, "utilisation_last_s");
    facts.add("air " + medium.value("domain", ""),
              fmt::format("{} in use; {}, {} stations", percent_text(use), medium.value("access", ""),
                          count_in(medium, "stations")),
              use >= 0.9);
  }
  return std::move(facts.lines_);
}

PageLines clock_panel(const SeenRun& run) {
  const Json& clock = part_of(*run.status, "clock");
  const auto problem = clock.value("problem", "");
  Facts facts;
  facts.add("clock", joined(joined(clock.value("source", ""), clock.value("state", ""), ", "), problem, ": "),
            !problem.empty());
  if (clock.contains("offset_last_ns")) {
    facts.add("offset", fmt::format("last {}, p99 {}", nanos_text(number_in(clock, "offset_last_ns")),
                                    nanos_text(number_in(clock, "offset_p99_ns"))));
  }
  if (clock.contains("rate_ppb")) {
    facts.add("oscillator", number_text(number_in(clock, "rate_ppb"), "ppb"));
  }
  if (clock.contains("steps")) {
    facts.add("steps, losses", fmt::format("{}, {}", count_in(clock, "steps"), count_in(clock, "losses")));
  }
  if (clock.value("factor", 1.0) != 1.0 || clock.value("paused", false)) {
    facts.add("simulation time", fmt::format("{} of wall time{}", number_text(clock.value("factor", 1.0)),
                                             clock.value("paused", false) ? ", paused" : ""));
  }
  if (clock.contains("follow")) {
    const Json& follow = clock["follow"];
    facts.add("follows",
              fmt::format("{}: {}, {} of wall time, {} ahead", follow.value("source", ""), follow.value("state", ""),
                          number_text(number_in(follow, "rate")), micros_in(follow, "offset_us")),
              follow.value("state", "") == "holding");
  }
  add_served_clocks(facts, clock);
  const Json& recent = part_of(clock, "recent");
  if (!recent.empty()) {
    add_space(facts.lines_, "Events");
  }
  for (const Json& event : recent) {
    facts.add(clock_time_text(number_in(event, "ago_s")) + " ago", event.value("text", ""));
  }
  return std::move(facts.lines_);
}

PageLines condition_panel(const SeenRun& run, std::size_t columns) {
  PageLines lines;
  const auto say = [&](const std::string& text, Ink ink) {
    for (const std::string& each : wrapped(text, columns, 2)) {
      lines.push_back({{{each, ink}}});
    }
  };
  for (const Json& each : part_of(*run.status, "conditions")) {
    const auto severity = each.value("severity", "error");
    say(fmt::format("! {} (for {})", each.value("text", ""), clock_time_text(number_in(each, "since_s"))),
        severity == "error"     ? Ink::kBad
        : severity == "warning" ? Ink::kDoubtful
                                : Ink::kPlain);
  }
  if (lines.empty()) {
    say("Nothing is wrong with this run as a whole.", Ink::kGood);
  }
  for (const Json& each : part_of(*run.status, "assignments")) {
    say("set: " + each.get<std::string>(), Ink::kDoubtful);
  }
  return lines;
}

PageLines help_panel() {
  Facts facts;
  for (const auto& [key, text] : {
           std::pair("1 2 3 4 5, tab", "links, ports, simulators, clock, conditions"),
           std::pair("up down, j k", "choose a link; elsewhere scroll; also page up and down, home, end"),
           std::pair("enter", "that link: why is it bad?"),
           std::pair("left right, < >", "sort links by the column before, or behind"),
           std::pair("r", "sort the other way round"),
           std::pair("/", "show only lines that have a text; enter keeps it, esc takes it away"),
           std::pair("n p", "on a link: the next one, the one before"),
           std::pair("x", "on a link: the other direction"),
           std::pair("esc", "back; without a filter"),
           std::pair("?", "this page"),
           std::pair("q, ctrl-c", "end"),
       }) {
    facts.add(key, text);
  }
  return std::move(facts.lines_);
}

}  // namespace hilgate
