// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/status_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/status/links_status.h"
#include "gateway/status/network_status.h"
#include "gateway/status/site_status.h"
#include "gateway/status/window_status.h"
#include "path/air/access_methods.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

// What each packet loop does when there is nothing to do.
Json threads_json(const DataPlane& plane) {
  Json threads = Json::array();
  for (const LoopReport& loop : plane.loops()) {
    Json json{{"idle", loop.idle.mode == IdleMode::kSleep ? "sleep" : "poll"},
              {"sleeps", loop.idle.sleeps},
              {"asleep_s", seconds_of(loop.idle.asleep)},
              {"wakes_early_us", microseconds_of(loop.idle.woken_early)},
              {"scheduling", loop.real_time ? "realtime" : "normal"}};
    if (loop.cpu) {
      json["cpu"] = *loop.cpu;
    }
    threads.push_back(std::move(json));
  }
  return threads;
}

// [upper bound in us, releases up to there], from 1 us to 1 s; the last has all.
Json lateness_json(const DurationHistogram& lateness) {
  constexpr std::size_t kFirst = 10;  // bucket i ends at 2^i ns
  constexpr std::size_t kLast = 30;
  Json rows = Json::array();
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < DurationHistogram::kBuckets; ++i) {
    below += lateness.count[i];
    if ((i >= kFirst && i <= kLast) || i + 1 == DurationHistogram::kBuckets) {
      rows.push_back({microseconds_of(Nanoseconds{std::int64_t{1} << i}), below});
    }
  }
  return rows;
}

Json loop_json(const PathTotals& totals, const DataPlane& plane) {
  return {{"threads", threads_json(plane)},
          {"turns", totals.iterations},
          {"longest_turn_us", static_cast<double>(totals.longest_iteration_ns) / 1e3},
          {"release_error_p50_us", microseconds_of(totals.release_error.quantile(0.5))},
          {"release_error_p99_us", microseconds_of(totals.release_error.quantile(0.99))},
          {"release_error_max_us", microseconds_of(totals.release_error.quantile(1.0))},
          {"release_lateness", lateness_json(totals.release_error)}};
}

Json robots_json(const StatusInputs& in, const std::vector<PortReport>& ports) {
  Json robots = Json::array();
  for (std::size_t i = 0; i < in.configuration.robots.size(); ++i) {
    const RobotConfig& robot = in.configuration.robots[i];
    const std::size_t place = robot.port.value();
    const PortConfig& port = in.configuration.ports[place];
    Json json{
        {"name", robot.name}, {"port", port.name}, {"unplugged", place < ports.size() && ports[place].state != "up"}};
    if (in.configuration.site) {
      json["gateway"] = in.configuration.site->gateways[port.gateway].name;
    }
    if (robot.vlan != 0) {
      json["vlan"] = robot.vlan;
    }
    if (const Scene* scene = in.windows.scene(); scene != nullptr && i < scene->robots.size()) {
      const Vec3& at = scene->robots[i].position;
      json["position"] = {at.x, at.y, at.z};
    }
    robots.push_back(std::move(json));
  }
  return robots;
}

// Stations of each medium, how they share it, and how much of its time it is in use.
Json media_json(const StatusInputs& in) {
  Json media = Json::array();
  if (air_in_sim_time(in.configuration)) {
    return media;  // their use is of simulated time, which is not that of this report
  }
  const double uptime_ns = std::max(static_cast<double>(in.uptime.count()), 1.0);
  for (std::size_t i = 0; i < in.air.domains.size(); ++i) {
    const AirUse use = in.meters.air.total(i);
    media.push_back({{"domain", in.air.domains[i].name},
                     {"access", access_text(in.air.domains[i])},
                     {"stations", 0},
                     {"robots", Json::array()},
                     {"busy_s", seconds_of(use.busy)},
                     {"utilisation", static_cast<double>(use.busy.count()) / uptime_ns},
                     {"utilisation_last_s", in.meters.air.last(i)},
                     {"acks_lost", use.acks_lost}});
  }
  for (std::size_t i = 0; i < in.air.stations.size() && i < in.configuration.robots.size(); ++i) {
    if (in.air.stations[i] && in.air.role(i) == AirRole::kNone) {
      media[in.air.stations[i]->domain]["robots"].push_back(in.configuration.robots[i].name);
    }
  }
  add_access_points(in, media);
  for (Json& medium : media) {
    medium["stations"] =
        medium["robots"].size() + (medium.contains("access_points") ? medium["access_points"].size() : 0);
  }
  return media;
}

Json names_of(const std::vector<RobotIndex>& robots, const Configuration& configuration) {
  Json names = Json::array();
  for (const RobotIndex robot : robots) {
    names.push_back(configuration.robots[robot.value()].name);
  }
  return names;
}

Json ports_json(const std::vector<PortReport>& reports) {
  Json ports = Json::array();
  for (const PortReport& port : reports) {
    Json json{{"name", port.name},
              {"interface", port.interface},
              {"state", port.state},
              {"problem", port.problem},
              {"mtu", port.mtu},
              {"driver", port.driver},
              {"mode", port.mode},
              {"arrival_times", port.arrival_times},
              {"release_times", port.release_times},
              {"largest_frame", port.largest_frame},
              {"lost_at_capture", total(port.lost_at_capture)},
              {"lost_at_sending", total(port.lost_at_sending)},
              {"lost_line_bytes", port.line.lost()}};
    for (const auto& [name, count] : port.counts) {
      json["counts"][name] = count;
    }
    ports.push_back(std::move(json));
  }
  return ports;
}

Json unknown_senders_json(const DataPlane& plane) {
  Json senders = Json::array();
  for (const UnknownSenderReport& sender : plane.unknown_senders()) {
    senders.push_back({{"port", sender.port}, {"mac", sender.mac.text()}, {"frames", sender.frames}});
  }
  return senders;
}

// The gravest first, so that none hides a graver one; of the same severity in the order in which they began.
Json conditions_json(std::vector<Conditions::Standing> standing) {
  std::ranges::stable_sort(standing, {},
                           [](const Conditions::Standing& each) { return severity_of(each.condition.name); });
  Json conditions = Json::array();
  for (const auto& [condition, since, seen] : standing) {
    conditions.push_back({{"name", condition.name},
                          {"severity", name_of(severity_of(condition.name))},
                          {"about", condition.about},
                          {"text", condition.text},
                          {"since_s", seconds_of(seen - since)}});
  }
  return conditions;
}

}  // namespace

nlohmann::ordered_json totals_status(const PathTotals& totals, const std::vector<PortReport>& ports) {
  const LostBeside lost(ports);
  return {{"in", totals.deliveries},
          {"injected", totals.injected},
          {"out", totals.released},
          {"dropped_total", totals.dropped_total()},
          {"dropped", drops_json(totals.dropped)},
          {"held", totals.held},
          {"held_most", totals.held_most},
          {"balanced", totals.balanced()},
          {"lost_at_capture", lost.at_capture},
          {"lost_at_sending", lost.at_sending},
          {"lost_line_bytes", lost.line_bytes},
          {"frames_captured", totals.frames_captured},
          {"bytes_captured", totals.bytes_captured},
          {"bytes_released", totals.bytes_released},
          {"damaged", totals.damaged},
          {"duplicated", totals.duplicated},
          {"marked", totals.marked},
          {"changes", totals.changes},
          {"ptp_passed", totals.ptp_passed},
          {"ptp_residence_p50_us", microseconds_of(totals.ptp_residence.quantile(0.5))},
          {"ptp_residence_max_us", microseconds_of(totals.ptp_residence.quantile(1.0))}};
}

nlohmann::ordered_json status_json(const StatusInputs& in) {
  const std::vector<PortReport> ports = in.plane.ports();
  Json json{{"run", in.configuration.name},
            {"configuration", in.configuration.file.string()},
            {"seed", in.configuration.seed},
            {"uptime_s", seconds_of(in.uptime)},
            {"memory_bytes", in.plane.bytes()},
            {"kernel_memory_bytes", in.plane.kernel_memory()},
            {"conditions", conditions_json(in.conditions)},
            {"assignments", in.assignments},
            {"clock", in.clock},
            {"window", window_status(in.configuration, in.windows)},
            {"totals", totals_status(in.totals, ports)},
            {"loop", loop_json(in.totals, in.plane)},
            {"impairment_order", kImpairmentOrder},
            {"ports", ports_json(ports)},
            {"unknown_senders", unknown_senders_json(in.plane)},
            {"robots", robots_json(in, ports)},
            {"media", media_json(in)},
            {"links", Json::array()}};
  LinkList links = links_of(in);
  json["links"] = std::move(links.links);
  if (links.left_out > 0) {
    json["links_left_out"] = links.left_out;
  }
  if (Json far = far_pairs_json(in.far_pairs); !far.empty()) {
    json["far_pairs"] = std::move(far);
  }
  if (const auto* embedded = std::get_if<EmbeddedConfig>(&in.configuration.netsim);
      embedded != nullptr && embedded->map) {
    json["map"] = {{"file", embedded->map->string()}, {"pairs_outside", in.outside_map}};
  }
  if (!in.unoriented.empty()) {
    json["antennas"] = {{"unoriented", names_of(in.unoriented, in.configuration)}};
  }
  if (const auto site = in.plane.site()) {
    json["site"] = site_status(*site, in.totals);
  }
  if (judged_by_packet(in.configuration)) {
    json["verdicts"] = verdict_status(in.windows, in.totals);
  }
  if (Json stations = stations_status(in); !stations.is_null()) {
    json["access_points"] = access_points_status(in);
    json["stations"] = std::move(stations);
  }
  if (!in.captures.is_null()) {
    json["capture"] = in.captures;
  }
  if (!in.record.is_null()) {
    json["record"] = in.record;
  }
  if (!in.scenario.is_null()) {
    json["scenario"] = in.scenario;
  }
  if (Json telemetry = in.telemetry.status(); !telemetry.is_null()) {
    json["mavlink"] = std::move(telemetry);
  }
  if (Json dds = in.telemetry.dds_status(); !dds.is_null()) {
    json["dds"] = std::move(dds);
  }
  return json;
}

}  // namespace hilgate
