// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "gateway/status/clock_status.h"
#include "gateway/status/port_text.h"
#include "gateway/status/status_parts.h"
#include "gateway/status/status_report.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using MavlinkOut = std::back_insert_iterator<std::string>;

// A list of names: "red, blue".
std::string names_text(const nlohmann::ordered_json& names) {
  std::string text;
  for (const nlohmann::ordered_json& name : names) {
    text += (text.empty() ? "" : ", ") + name.get<std::string>();
  }
  return text;
}

std::string timesync_text(const Json& system) {
  if (!system.contains("timesync") || !system["timesync"].contains("last_ms")) {
    return "-";
  }
  return fmt::format("{:.1f} ms", system["timesync"]["last_ms"].get<double>());
}

void write_systems(MavlinkOut out, const Json& systems) {
  if (!systems.empty()) {
    fmt::format_to(out, "\n{:<8} {:<20} {:>10} {:>8} {:>8} {:>9} {:>9}\n", "mavlink", "robots", "frames", "gaps",
                   "bad crc", "signed", "timesync");
  }
  for (const Json& system : systems) {
    fmt::format_to(out, "{:<8} {:<20} {:>10} {:>8} {:>8} {:>9} {:>9}\n", system["system"].get<int>(),
                   names_text(system["robots"]), system["frames"].get<std::uint64_t>(),
                   system["lost"].get<std::uint64_t>(), system["wrong_crc"].get<std::uint64_t>(),
                   system["signed"].get<std::uint64_t>(), timesync_text(system));
  }
}

std::string place_text(const Json& vehicle) {
  if (!vehicle.contains("position_m")) {
    return "on its track";
  }
  const Json& place = vehicle["position_m"];
  return fmt::format("{:.1f}, {:.1f}, {:.1f}", place[0].get<double>(), place[1].get<double>(), place[2].get<double>());
}

void write_vehicles(MavlinkOut out, const Json& vehicles) {
  if (!vehicles.empty()) {
    fmt::format_to(out, "\n{:<12} {:>6} {:<10} {:<24} {:>9} {:>7} {:>6}\n", "vehicle", "system", "state",
                   "east, north, up in m", "age", "lost", "clock");
  }
  for (const Json& vehicle : vehicles) {
    const bool placed = vehicle.contains("age_s");
    fmt::format_to(out, "{:<12} {:>6} {:<10} {:<24} {:>9} {:>5.1f} % {:>6}\n", vehicle["robot"].get<std::string>(),
                   vehicle.contains("system") ? std::to_string(vehicle["system"].get<int>()) : "-",
                   vehicle["state"].get<std::string>(), place_text(vehicle),
                   placed ? fmt::format("{:.1f} s", vehicle["age_s"].get<double>()) : "-",
                   100 * vehicle["lost_share"].get<double>(),
                   vehicle.contains("clock_rate") ? fmt::format("x{:.2f}", vehicle["clock_rate"].get<double>()) : "-");
  }
}

void write_radios(MavlinkOut out, const Json& mavlink) {
  for (const Json& radio : mavlink["radio_status"]) {
    fmt::format_to(out, "RADIO_STATUS to {}:{} about {}: {} sent; rssi {}, remrssi {}, noise {}, txbuf {} %\n",
                   radio["robot"].get<std::string>(), radio["port"].get<int>(), radio["peer"].get<std::string>(),
                   radio["sent"].get<std::uint64_t>(), radio["rssi"].get<int>(), radio["remrssi"].get<int>(),
                   radio["noise"].get<int>(), radio["txbuf"].get<int>());
  }
  for (const Json& stream : mavlink["streams"]) {
    fmt::format_to(out, "no RADIO_STATUS to {} about {}: they speak over TCP\n", stream["robot"].get<std::string>(),
                   stream["peer"].get<std::string>());
  }
}

// MAVLink systems, where vehicles are, and radio status sent; empty without telemetry.
std::string mavlink_text(const nlohmann::ordered_json& status) {
  std::string text;
  if (!status.contains("mavlink")) {
    return text;
  }
  const MavlinkOut out = std::back_inserter(text);
  const Json& mavlink = status["mavlink"];
  write_systems(out, mavlink["systems"]);
  write_vehicles(out, mavlink["vehicles"]);
  if (const auto missed = mavlink["missed"].get<std::uint64_t>(); missed > 0) {
    fmt::format_to(out, "the gateway itself missed {} MAVLink frames\n", missed);
  }
  write_radios(out, mavlink);
  return text;
}

// Participants of DDS; empty when they are not observed.
std::string dds_text(const nlohmann::ordered_json& status) {
  std::string text;
  if (!status.contains("dds")) {
    return text;
  }
  const MavlinkOut out = std::back_inserter(text);
  const Json& dds = status["dds"];
  fmt::format_to(out, "\n{:<12} {:>6} {:<12} {:>8}  {}\n", "DDS: robot", "domain", "vendor", "here s", "participant");
  for (const Json& each : dds["participants"]) {
    const auto name = each["name"].get<std::string>();
    const auto process = each["process"].get<std::string>();
    const auto host = each["host"].get<std::string>();
    fmt::format_to(out, "{:<12} {:>6} {:<12} {:>8.0f}  {}{}{}{}\n", each["robot"].get<std::string>(),
                   each["domain"].get<int>(), each["vendor"].get<std::string>(), each["here_s"].get<double>(), name,
                   !name.empty() && !process.empty() ? ", " : "", process, host.empty() ? "" : " on " + host);
  }
  fmt::format_to(out, "{} left, {} fell silent{}\n", dds["left"].get<std::uint64_t>(),
                 dds["silent"].get<std::uint64_t>(),
                 dds["refused"].get<std::uint64_t>() > 0 ? ", more than are kept" : "");
  return text;
}

// What positions are sent as, GNSS to robots, Cursor on Target, DIS and Foxglove to others; empty without any.
std::string positions_text(const nlohmann::ordered_json& status) {
  std::string text;
  const MavlinkOut out = std::back_inserter(text);
  const auto count = [](const Json& of, const char* key) { return of[key].get<std::uint64_t>(); };
  for (const Json& feed : status.contains("gnss") ? status["gnss"] : Json::array()) {
    fmt::format_to(out, "GNSS to {}: {} fixes sent, {} refused, {} skipped; ", feed["robot"].get<std::string>(),
                   count(feed, "sent"), count(feed, "refused"), count(feed, "skipped"));
    if (feed.contains("latitude_deg")) {
      const Json& error = feed["error_m"];
      fmt::format_to(out, "last {:.7f} {:.7f} {:.2f} m, error {:.2f} {:.2f} {:.2f} m\n",
                     feed["latitude_deg"].get<double>(), feed["longitude_deg"].get<double>(),
                     feed["altitude_m"].get<double>(), error[0].get<double>(), error[1].get<double>(),
                     error[2].get<double>());
    } else {
      fmt::format_to(out, "physics has not placed the robot\n");
    }
  }
  if (status.contains("cot")) {
    const Json& cot = status["cot"];
    fmt::format_to(out,
                   "Cursor on Target to {}: {} events sent, {} refused, {} of robots that physics has not placed{}\n",
                   cot["to"].get<std::string>(), count(cot, "sent"), count(cot, "refused"), count(cot, "unplaced"),
                   cot.contains("fault") ? "; last: " + cot["fault"].get<std::string>() : "");
  }
  if (status.contains("dis")) {
    const Json& dis = status["dis"];
    fmt::format_to(out, "DIS to {}: {} Transmitter PDUs, {} Receiver PDUs sent, {} refused{}\n",
                   dis["to"].get<std::string>(), count(dis, "transmitters"), count(dis, "receivers"),
                   count(dis, "refused"), dis.contains("fault") ? "; last: " + dis["fault"].get<std::string>() : "");
  }
  if (status.contains("foxglove")) {
    const Json& foxglove = status["foxglove"];
    fmt::format_to(out, "Foxglove: {} clients, {} messages left out, because clients take them too slowly\n",
                   count(foxglove, "clients"), count(foxglove, "left_out"));
  }
  return text;
}

// Sessions of DLEP with robots' routers, a line each; empty without.
std::string dlep_text(const nlohmann::ordered_json& status) {
  std::string text;
  const MavlinkOut out = std::back_inserter(text);
  const auto count = [](const Json& of, const char* key) { return of[key].get<std::uint64_t>(); };
  for (const Json& modem : status.contains("dlep") ? status["dlep"] : Json::array()) {
    fmt::format_to(out, "DLEP of {} on {}, port {}: {}{}; {} destinations up, {} messages sent, {} received{}\n",
                   modem["robot"].get<std::string>(), modem["interface"].get<std::string>(), count(modem, "port"),
                   modem["state"].get<std::string>(),
                   modem.contains("router") ? " with '" + modem["router"].get<std::string>() + "'" : "",
                   count(modem, "destinations_up"), count(modem, "sent"), count(modem, "received"),
                   modem.contains("problem") ? "; last: " + modem["problem"].get<std::string>() : "");
  }
  return text;
}

using Out = std::back_insert_iterator<std::string>;

std::string bytes_text(double bytes) {
  constexpr std::array<const char*, 4> kUnits = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", bytes, unit == 0 ? 0 : 1, kUnits[unit]);
}

std::string drops_text(const Json& dropped) {
  std::string text;
  for (const auto& [reason, count] : dropped.items()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", reason, count.get<std::uint64_t>());
  }
  return text.empty() ? "none" : text;
}

/// As wide as the longest of these, and its heading.
template <class Text>
std::size_t width_of(const std::string& heading, const auto& rows, Text text) {
  std::size_t width = heading.size();
  for (const auto& row : rows) {
    width = std::max(width, text(row).size());
  }
  return width;
}

void write_head(Out out, const Json& status) {
  const Json& window = status["window"];
  fmt::format_to(out, "run {}  up {:.1f} s  seed {}\n", status["run"].get<std::string>(),
                 status["uptime_s"].get<double>(), status["seed"].get<std::uint64_t>());
  fmt::format_to(out, "memory {} and {} in the kernel\n", bytes_text(status["memory_bytes"].get<double>()),
                 bytes_text(status["kernel_memory_bytes"].get<double>()));
  fmt::format_to(out, "window {} of {:g} us, simulation time {:.3f} s\n", window["number"].get<std::uint64_t>(),
                 window["length_us"].get<double>(), window["sim_time_s"].get<double>());
  fmt::format_to(out, "windows missed {}; last {:.0f} us late, max {:.0f} us\n", window["missed"].get<std::uint64_t>(),
                 window["last_lateness_us"].get<double>(), window["most_lateness_us"].get<double>());
}

void write_conditions(Out out, const Json& status) {
  for (const Json& condition : status["conditions"]) {
    fmt::format_to(out, "! {} (for {:.0f} s)\n", condition["text"].get<std::string>(),
                   condition["since_s"].get<double>());
  }
  for (const Json& assignment : status["assignments"]) {
    fmt::format_to(out, "set: {}\n", assignment.get<std::string>());
  }
}

// Simulators in the same process are never late, and not worth a line.
void write_simulators(Out out, const Json& status) {
  for (const Json& simulator : status["window"]["simulators"]) {
    for (const Json& socket : simulator["sockets"]) {
      fmt::format_to(out, "{} at {}\n", simulator["name"].get<std::string>(), socket.get<std::string>());
    }
    if (simulator["late"].get<std::uint64_t>() + simulator["missed"].get<std::uint64_t>() > 0) {
      fmt::format_to(out, "{}: {:.2f} % of its windows late; last {:.0f} us, p99 {:.0f} us, max {:.0f} us\n",
                     simulator["name"].get<std::string>(), 100 * simulator["late_share"].get<double>(),
                     simulator["late_last_us"].get<double>(), simulator["late_p99_us"].get<double>(),
                     simulator["late_max_us"].get<double>());
    }
  }
  if (status.contains("verdicts")) {
    const Json& verdicts = status["verdicts"];
    fmt::format_to(out,
                   "verdicts {} for {} packets; shortest exact delay {:g} us; {} frames released late, p99 {:g} us\n",
                   verdicts["passed"].get<std::uint64_t>(), verdicts["offered"].get<std::uint64_t>(),
                   verdicts["causality_floor_us"].get<double>(), verdicts["released_late"].get<std::uint64_t>(),
                   verdicts["released_late_p99_us"].get<double>());
  }
}

void write_totals(Out out, const Json& status) {
  const Json& totals = status["totals"];
  const Json& loop = status["loop"];
  const auto injected = totals["injected"].get<std::uint64_t>();
  const auto with_gateways = [&status](const char* text, const char* key) {
    return status.contains("site") ? fmt::format(" + {} gateways {}", text, status["site"][key].get<std::uint64_t>())
                                   : std::string();
  };
  fmt::format_to(out, "deliveries: in {}{}{} = out {} + dropped {} + held {}{}  {}\n",
                 totals["in"].get<std::uint64_t>(), injected > 0 ? fmt::format(" + injected {}", injected) : "",
                 with_gateways("from", "received"), totals["out"].get<std::uint64_t>(),
                 totals["dropped_total"].get<std::uint64_t>(), totals["held"].get<std::uint64_t>(),
                 with_gateways("to", "sent"),
                 totals["balanced"].get<bool>() ? "(balanced)" : "(NOT BALANCED: please report this)");
  fmt::format_to(out, "dropped: {}\n", drops_text(totals["dropped"]));
  const auto line_bytes = totals.value("lost_line_bytes", std::uint64_t{0});
  fmt::format_to(out, "lost beside the path: {} frames at capture, {} at sending{}\n",
                 totals["lost_at_capture"].get<std::uint64_t>(), totals["lost_at_sending"].get<std::uint64_t>(),
                 line_bytes > 0 ? fmt::format(", {} B at serial lines", line_bytes) : "");
  fmt::format_to(out, "damaged {}, duplicated {}, marked {}\n", totals["damaged"].get<std::uint64_t>(),
                 totals["duplicated"].get<std::uint64_t>(), totals["marked"].get<std::uint64_t>());
  if (const auto passed = totals["ptp_passed"].get<std::uint64_t>(); passed > 0) {
    fmt::format_to(out,
                   "PTP passed transparently: {} messages; residence time p50 {:g} us, max {:g} us (upper bounds)\n",
                   passed, totals["ptp_residence_p50_us"].get<double>(), totals["ptp_residence_max_us"].get<double>());
  }
  fmt::format_to(out, "release lateness: p50 {:g} us, p99 {:g} us, max {:g} us (upper bounds)\n",
                 loop["release_error_p50_us"].get<double>(), loop["release_error_p99_us"].get<double>(),
                 loop["release_error_max_us"].get<double>());
  fmt::format_to(out, "longest loop iteration {:.0f} us\n", loop["longest_turn_us"].get<double>());
}

void write_loops(Out out, const Json& status) {
  for (const Json& thread : status["loop"]["threads"]) {
    const bool sleeps = thread["idle"].get<std::string>() == "sleep";
    fmt::format_to(out, "packet loop{}{}: {} when idle{}\n",
                   thread.contains("cpu") ? fmt::format(" on CPU {}", thread["cpu"].get<int>()) : "",
                   thread["scheduling"].get<std::string>() == "realtime" ? ", real-time priority" : "",
                   sleeps ? "sleeps" : "polls",
                   sleeps ? fmt::format("; asleep {:.1f} s of {:.1f} s", thread["asleep_s"].get<double>(),
                                        status["uptime_s"].get<double>())
                          : "");
  }
}

void write_map(Out out, const Json& status) {
  if (status.contains("map") && status["map"]["pairs_outside"].get<std::uint64_t>() > 0) {
    fmt::format_to(out, "pairs of robots outside the map {}: {}, computed as free space\n",
                   status["map"]["file"].get<std::string>(), status["map"]["pairs_outside"].get<std::uint64_t>());
  }
}

void write_antennas(Out out, const Json& status) {
  if (status.contains("antennas")) {
    fmt::format_to(out, "antennas count as isotropic, because physics does not say how these robots are turned: {}\n",
                   names_text(status["antennas"]["unoriented"]));
  }
}

void write_unknown_senders(Out out, const Json& status) {
  for (const Json& sender : status["unknown_senders"]) {
    fmt::format_to(
        out, "unknown sender on port {}: {}; {} frames were dropped there; if it is a robot, add its `mac`\n",
        sender["port"].get<std::string>(), sender["mac"].get<std::string>(), sender["frames"].get<std::uint64_t>());
  }
}

void write_flows(Out out, const Json& status) {
  for (const Json& flow : status.value("flows", Json::array())) {
    fmt::format_to(out, "flow {} -> {} \"{}\": {} frames matched\n", names_text(flow["from"]), names_text(flow["to"]),
                   flow["filter"].get<std::string>(), flow["matched"].get<std::uint64_t>());
  }
}

void write_media(Out out, const Json& status) {
  if (status["media"].empty()) {
    return;
  }
  const auto text_of = [](const char* key) {
    return [key](const Json& medium) { return medium[key].get<std::string>(); };
  };
  const std::size_t name = width_of("medium", status["media"], text_of("domain"));
  const std::size_t access = width_of("access", status["media"], text_of("access"));
  fmt::format_to(out, "\n{:<{}} {:<{}} {:>8} {:>8} {:>8} {:>9}\n", "medium", name, "access", access, "stations",
                 "in use", "last 1 s", "acks lost");
  for (const Json& medium : status["media"]) {
    fmt::format_to(out, "{:<{}} {:<{}} {:>8} {:>6.1f} % {:>6.1f} % {:>9}\n", medium["domain"].get<std::string>(), name,
                   medium["access"].get<std::string>(), access, medium["stations"].get<int>(),
                   100 * medium["utilisation"].get<double>(), 100 * medium["utilisation_last_s"].get<double>(),
                   medium["acks_lost"].get<std::uint64_t>());
  }
}

// All links of a few robots; of many, those that carry most.
std::vector<const Json*> shown_links(const Json& links) {
  constexpr std::size_t kMost = 90;  // of ten robots
  std::vector<const Json*> shown;
  for (const Json& link : links) {
    if (links.size() <= kMost || link["in"].get<std::uint64_t>() > 0) {
      shown.push_back(&link);
    }
  }
  if (shown.size() > kMost) {
    std::stable_sort(shown.begin(), shown.end(), [](const Json* one, const Json* other) {
      return (*one)["in"].get<std::uint64_t>() > (*other)["in"].get<std::uint64_t>();
    });
    shown.resize(kMost);
  }
  return shown;
}

std::string delay_text(const Json& link, const char* key) {
  if (!link.contains(key)) {
    return "-";
  }
  const double us = link[key].get<double>();
  return us < 1e3   ? fmt::format("{:.3g} us", us)
         : us < 1e6 ? fmt::format("{:.3g} ms", us / 1e3)
                    : fmt::format("{:.3g} s", us / 1e6);
}

std::string rate_text(const Json& link, const char* key) {
  const double mbps = link.value(key, 0.0);
  return mbps >= 0.1 ? fmt::format("{:.1f}", mbps) : mbps > 0 ? fmt::format("{:.2g}", mbps) : "-";
}

std::string loss_text(const Json& link, const char* key) {
  return link.contains(key) ? fmt::format("{:.1f}%", 100 * link[key].get<double>()) : "-";
}

// A link that reaches nobody has no numbers, and one without a radio has no signal.
std::string state_text(const Json& link) {
  if (!link["reachable"].get<bool>()) {
    return fmt::format("{:>5} {:>6} {:>6} {:>6} {:>6}", "none", "-", "-", "-", "-");
  }
  const auto or_none = [&link](const char* key, bool is_there) {
    return is_there ? fmt::format("{:.1f}", link[key].get<double>()) : "-";
  };
  const bool has_signal = link["rssi_dbm"].get<double>() != 0 || link["snr_db"].get<double>() != 0;
  return fmt::format("{:>5} {:>6} {:>6} {:>6} {:>6}", link["line_of_sight"].get<bool>() ? "los" : "nlos",
                     or_none("rssi_dbm", has_signal), or_none("snr_db", has_signal),
                     rate_text(link, "effective_rate_mbps"), loss_text(link, "effective_loss"));
}

std::string configured_text(const Json& link) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (link.contains("configured_delay_us")) {
    add(delay_text(link, "configured_delay_us"));
  }
  if (link.contains("configured_rate_mbps")) {
    add(fmt::format("{:.4g} Mbit/s", link["configured_rate_mbps"].get<double>()));
  }
  if (link.contains("configured_loss")) {
    add("loss " + loss_text(link, "configured_loss"));
  }
  if (link.contains("queue_limit")) {
    add(fmt::format("queue of {}", link["queue_limit"].get<std::uint64_t>()));
  }
  return text;
}

std::string link_name(const Json* link) {
  return (*link)["from"].get<std::string>() + " -> " + (*link)["to"].get<std::string>();
}

// What frames meet on the links that carry any, or have something configured: the delay on an idle link, and what the
// last second was like.
void write_values(Out out, const std::vector<const Json*>& shown, std::size_t width) {
  std::vector<const Json*> told;
  std::ranges::copy_if(shown, std::back_inserter(told), [](const Json* link) {
    return (*link)["in"].get<std::uint64_t>() > 0 || !configured_text(*link).empty();
  });
  if (told.empty()) {
    return;
  }
  fmt::format_to(out, "\n{:<{}} {:>8} | {:>8} {:>6} {:>6} | {:>5}  {}\n", "link", width, "delay", "measured", "Mbit/s",
                 "loss", "queue", "configured");
  for (const Json* each : told) {
    const Json& link = *each;
    fmt::format_to(out, "{:<{}} {:>8} | {:>8} {:>6} {:>6} | {:>5}  {}\n", link_name(each), width,
                   delay_text(link, "effective_delay_us"), delay_text(link, "measured_delay_us"),
                   rate_text(link, "measured_rate_mbps"), loss_text(link, "measured_loss"),
                   link["queue"].get<std::uint64_t>(), configured_text(link));
  }
}

// Why the links that carry frames are as they are.
void write_reasons(Out out, const std::vector<const Json*>& shown) {
  constexpr std::size_t kMost = 10;  // a screen is for more than these
  std::size_t count = 0;
  for (const Json* each : shown) {
    const auto reasons = each->value("reasons", std::vector<std::string>());
    if (reasons.empty() || (*each)["in"].get<std::uint64_t>() == 0) {
      continue;
    }
    if (++count <= kMost) {
      fmt::format_to(out, "{}{}: {}\n", count == 1 ? "\n" : "", link_name(each), fmt::join(reasons, " "));
    }
  }
  if (count > kMost) {
    fmt::format_to(out, "{} more links with reasons: --json shows them\n", count - kMost);
  }
}

void write_links(Out out, const Json& status) {
  const std::vector<const Json*> shown = shown_links(status["links"]);
  const std::size_t width = width_of("link", shown, link_name);
  fmt::format_to(out, "\n{:<{}} {:>5} {:>6} {:>6} {:>6} {:>6} {:>9} {:>9}  {}\n", "link", width, "sight", "dBm",
                 "dB SNR", "Mbit/s", "loss", "in", "out", "dropped");
  for (const Json* each : shown) {
    const Json& link = *each;
    fmt::format_to(out, "{:<{}} {} {:>9} {:>9}  {}\n", link_name(each), width, state_text(link),
                   link["in"].get<std::uint64_t>(), link["released"].get<std::uint64_t>(), drops_text(link["dropped"]));
  }
  write_values(out, shown, width);
  write_reasons(out, shown);
  if (shown.size() < status["links"].size()) {
    fmt::format_to(out, "{} more links, which carry less or nothing: --robot NAME shows those of a robot, --json all\n",
                   status["links"].size() - shown.size());
  }
  if (status.contains("links_left_out")) {
    fmt::format_to(out, "{} links are out of range and carried nothing: --robot NAME shows those of a robot\n",
                   status["links_left_out"].get<std::uint64_t>());
  }
}

void write_far_pairs(Out out, const Json& status) {
  if (!status.contains("far_pairs")) {
    return;
  }
  for (const Json& medium : status["far_pairs"]) {
    const auto domain = medium["domain"].get<std::string>();
    const auto threads = medium["threads"].get<unsigned>();
    const std::string by = threads > 1 ? fmt::format(", by {} threads", threads) : "";
    if (medium.contains("all_computed_because")) {
      fmt::format_to(out, "far pairs on {}: computed like all others ({}){}\n", domain,
                     medium["all_computed_because"].get<std::string>(), by);
    } else if (!medium["reach_m"].is_null()) {
      fmt::format_to(
          out, "far pairs on {}: silent beyond {:.0f} m; {} pairs were looked at, {} of them computed in full{}\n",
          domain, medium["reach_m"].get<double>(), medium["visited"].get<std::uint64_t>(),
          medium["heard"].get<std::uint64_t>(), by);
    }
  }
}

}  // namespace

std::string status_text(const nlohmann::ordered_json& status) {
  std::string text;
  const Out out = std::back_inserter(text);
  write_head(out, status);
  write_conditions(out, status);
  text += site_text(status);
  text += clock_text(status["clock"]);
  write_simulators(out, status);
  write_totals(out, status);
  write_loops(out, status);
  write_map(out, status);
  write_antennas(out, status);
  write_ports(out, status);
  write_unknown_senders(out, status);
  write_flows(out, status);
  write_media(out, status);
  write_far_pairs(out, status);
  text += stations_text(status);
  text += mesh_text(status);
  write_links(out, status);
  text += mavlink_text(status);
  text += dds_text(status);
  text += positions_text(status);
  text += dlep_text(status);
  return text;
}

}  // namespace hilgate
