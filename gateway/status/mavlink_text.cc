// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/mavlink_text.h"

#include <fmt/format.h>

#include <iterator>

#include "gateway/status/names_text.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;
using MavlinkOut = std::back_insert_iterator<std::string>;

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

}  // namespace

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

}  // namespace hilgate
