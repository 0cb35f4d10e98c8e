// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/status_report.h"

#include <algorithm>

#include "gateway/configuration/configuration.h"
#include "gateway/status/model/diagnosis.h"
#include "gateway/status/status_parts.h"
#include "path/air/access_methods.h"

namespace hilgate {
namespace {

// What each packet loop does when there is nothing to do.
std::vector<LoopThreadStatus> threads_status(const DataPlane& plane) {
  std::vector<LoopThreadStatus> threads;
  for (const LoopReport& loop : plane.loops()) {
    LoopThreadStatus& thread =
        threads.emplace_back(LoopThreadStatus{.idle = loop.idle.mode == IdleMode::kSleep ? "sleep" : "poll",
                                              .sleeps = loop.idle.sleeps,
                                              .asleep = loop.idle.asleep,
                                              .wakes_early = loop.idle.woken_early,
                                              .scheduling = loop.real_time ? "realtime" : "normal"});
    if (loop.cpu) {
      thread.cpu = *loop.cpu;
    }
  }
  return threads;
}

// Frames up to each upper bound, from 1 us to 1 s; the last has all.
std::vector<std::pair<double, std::uint64_t>> lateness_status(const DurationHistogram& lateness) {
  constexpr std::size_t kFirst = 10;  // bucket i ends at 2^i ns
  constexpr std::size_t kLast = 30;
  std::vector<std::pair<double, std::uint64_t>> rows;
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < DurationHistogram::kBuckets; ++i) {
    below += lateness.count[i];
    if ((i >= kFirst && i <= kLast) || i + 1 == DurationHistogram::kBuckets) {
      rows.emplace_back(microseconds_of(Nanoseconds{std::int64_t{1} << i}), below);
    }
  }
  return rows;
}

LoopStatus loop_status(const PathTotals& totals, const DataPlane& plane) {
  return {.threads = threads_status(plane),
          .turns = totals.iterations,
          .longest_turn = Nanoseconds{static_cast<std::int64_t>(totals.longest_iteration_ns)},
          .release_error_p50 = totals.release_error.quantile(0.5),
          .release_error_p99 = totals.release_error.quantile(0.99),
          .release_error_max = totals.release_error.quantile(1.0),
          .release_lateness = lateness_status(totals.release_error)};
}

std::vector<RobotStatus> robots_status(const StatusInputs& in, const std::vector<PortReport>& ports) {
  std::vector<RobotStatus> robots;
  for (std::size_t i = 0; i < in.configuration.robots.size(); ++i) {
    const RobotConfig& robot = in.configuration.robots[i];
    const std::size_t place = robot.port.value();
    const PortConfig& port = in.configuration.ports[place];
    RobotStatus& added = robots.emplace_back(RobotStatus{
        .name = robot.name, .port = port.name, .unplugged = place < ports.size() && ports[place].state != "up"});
    if (robot.body != robot.name) {
      added.body = robot.body;
    }
    if (in.configuration.site) {
      added.gateway = in.configuration.site->gateways[port.gateway].name;
    }
    if (robot.vlan != 0) {
      added.vlan = robot.vlan;
    }
    if (const Scene* scene = in.windows.scene(); scene != nullptr && i < scene->robots.size()) {
      added.position = scene->robots[i].position;
    }
  }
  return robots;
}

// Stations of each medium, how they share it, and how much of its time it is in use.
std::vector<MediumStatus> media_status(const StatusInputs& in) {
  std::vector<MediumStatus> media;
  if (air_in_sim_time(in.configuration)) {
    return media;  // their use is of simulated time, which is not that of this report
  }
  const double uptime_ns = std::max(static_cast<double>(in.uptime.count()), 1.0);
  for (std::size_t i = 0; i < in.air.domains.size(); ++i) {
    const AirUse use = in.meters.air.total(i);
    media.push_back({.domain = in.air.domains[i].name,
                     .access = access_text(in.air.domains[i]),
                     .stations = 0,
                     .robots = {},
                     .busy = use.busy,
                     .utilisation = static_cast<double>(use.busy.count()) / uptime_ns,
                     .utilisation_last_s = in.meters.air.last(i),
                     .acks_lost = use.acks_lost});
  }
  for (std::size_t i = 0; i < in.air.stations.size() && i < in.configuration.robots.size(); ++i) {
    if (in.air.stations[i] && in.air.role(i) == AirRole::kNone) {
      media[in.air.stations[i]->domain].robots.push_back(in.configuration.robots[i].name);
    }
  }
  add_access_points(in, media);
  for (MediumStatus& medium : media) {
    medium.stations = medium.robots.size() + (medium.access_points ? medium.access_points->size() : 0);
  }
  return media;
}

TimestampStatus timestamps_status(const PortReport& port) {
  const StampStatistics& stamps = port.departures;
  const StampTotals& totals = stamps.totals;
  TimestampStatus status{.source = std::string(name_of(stamps.source)),
                         .problem = stamps.problem,
                         .requested = totals.requested,
                         .count = totals.count(),
                         .missing = totals.missing,
                         .unusable = totals.unusable,
                         .early = totals.early,
                         .error_p50 = totals.errors.quantile(0.5),
                         .error_p99 = totals.errors.quantile(0.99),
                         .error_max = totals.latest,
                         .margin = stamps.margin,
                         .errors = lateness_status(totals.errors)};
  if (!port.send_on_timestamp.empty()) {
    status.send_on_timestamp = port.send_on_timestamp;
  }
  return status;
}

ArrivalTimestampStatus arrivals_status(const ArrivalTimestamps& report) {
  return {.source = report.source,
          .clock = report.clock,
          .problem = report.problem,
          .count = report.count,
          .missing = report.missing,
          .unusable = report.unusable,
          .margin = report.margin};
}

LaunchTimeStatus launch_time_status(const StampStatistics& stamps) {
  const LaunchReport& launches = stamps.launches;
  return {.used = launches.used,
          .lead = launches.lead,
          .late = launches.late,
          .early = launches.early,
          .missing = launches.missing,
          .problem = stamps.launch_problem,
          .unmeasured = stamps.launch_unmeasured};
}

const char* release_times_of(const StampStatistics& stamps) {
  return !stamps.launches.used              ? "the packet loop"
         : stamps.launch_unmeasured.empty() ? "the device, by launch times"
                                            : "the device, by launch times, unmeasured";
}

std::vector<PortStatus> ports_status(const std::vector<PortReport>& reports) {
  std::vector<PortStatus> ports;
  for (const PortReport& port : reports) {
    PortStatus& added = ports.emplace_back(PortStatus{.name = port.name,
                                                      .interface = port.interface,
                                                      .state = port.state,
                                                      .problem = port.problem,
                                                      .mtu = port.mtu,
                                                      .driver = port.driver,
                                                      .mode = port.mode,
                                                      .release_times = release_times_of(port.departures),
                                                      .arrival_timestamps = arrivals_status(port.arrivals),
                                                      .release_timestamps = timestamps_status(port),
                                                      .launch_time = launch_time_status(port.departures),
                                                      .largest_frame = port.largest_frame,
                                                      .lost_at_capture = total(port.lost_at_capture),
                                                      .lost_at_sending = total(port.lost_at_sending),
                                                      .lost_line_bytes = port.line.lost(),
                                                      .counts = {}});
    if (!port.counts.empty()) {
      added.counts = port.counts;
    }
  }
  return ports;
}

std::vector<UnknownSenderStatus> unknown_senders_status(const DataPlane& plane) {
  std::vector<UnknownSenderStatus> senders;
  for (const UnknownSenderReport& sender : plane.unknown_senders()) {
    senders.push_back({.port = sender.port, .mac = sender.mac.text(), .frames = sender.frames});
  }
  return senders;
}

// The gravest first, so that none hides a graver one; of the same severity in the order in which they began.
std::vector<ConditionStatus> conditions_status(std::vector<Conditions::Standing> standing) {
  std::ranges::stable_sort(standing, {},
                           [](const Conditions::Standing& each) { return severity_of(each.condition.name); });
  std::vector<ConditionStatus> conditions;
  for (const auto& [condition, since, seen] : standing) {
    conditions.push_back({.name = condition.name,
                          .severity = name_of(severity_of(condition.name)),
                          .about = condition.about,
                          .text = condition.text,
                          .since = seen - since});
  }
  return conditions;
}

NamedObstacles named_obstacles(const WorldConfig& world) {
  NamedObstacles named{.place = world.scene.surveyed, .buildings = world.scene.buildings, .ground = world.scene.ground};
  for (const ObstacleConfig& obstacle : world.obstacles) {
    named.boxes.push_back({obstacle.name, world.materials.at(obstacle.obstacle.material).name, obstacle.obstacle.box});
  }
  return named;
}

std::vector<FlowStatus> flows_status(const Configuration& configuration) {
  std::vector<FlowStatus> flows;
  for (const FlowOverride& flow : configuration.flows) {
    flows.push_back({.from = end_names(configuration, flow.from),
                     .to = end_names(configuration, flow.to),
                     .filter = flow.rule.filter.text(),
                     .matched = flow.rule.matched->load(std::memory_order_relaxed)});
  }
  return flows;
}

}  // namespace

std::vector<std::string> names_of(const std::vector<RobotIndex>& robots, const Configuration& configuration) {
  std::vector<std::string> names;
  for (const RobotIndex robot : robots) {
    names.push_back(configuration.robots[robot.value()].name);
  }
  return names;
}

TotalsStatus totals_status(const PathTotals& totals, const std::vector<PortReport>& ports) {
  const LostBeside lost(ports);
  return {.in = totals.deliveries,
          .injected = totals.injected,
          .out = totals.released,
          .dropped_total = totals.dropped_total(),
          .dropped = drops_by_name(totals.dropped),
          .held = totals.held,
          .held_most = totals.held_most,
          .balanced = totals.balanced(),
          .lost_at_capture = lost.at_capture,
          .lost_at_sending = lost.at_sending,
          .lost_line_bytes = lost.line_bytes,
          .frames_captured = totals.frames_captured,
          .bytes_captured = totals.bytes_captured,
          .bytes_released = totals.bytes_released,
          .damaged = totals.damaged,
          .duplicated = totals.duplicated,
          .marked = totals.marked,
          .ecn_marked = totals.ecn_marked,
          .changes = totals.changes,
          .ptp_passed = totals.ptp_passed,
          .ptp_residence_p50 = totals.ptp_residence.quantile(0.5),
          .ptp_residence_max = totals.ptp_residence.quantile(1.0)};
}

RunStatus run_status(const StatusInputs& in) {
  const std::vector<PortReport> ports = in.plane.ports();
  LinkList links = links_of(in);
  RunStatus status{.run = in.configuration.name,
                   .configuration = in.configuration.file.string(),
                   .seed = in.configuration.seed,
                   .uptime = in.uptime,
                   .memory_bytes = in.plane.bytes(),
                   .kernel_memory_bytes = in.plane.kernel_memory(),
                   .conditions = conditions_status(in.conditions),
                   .assignments = in.assignments,
                   .clock = in.clock,
                   .window = window_status(in.configuration, in.windows),
                   .totals = totals_status(in.totals, ports),
                   .loop = loop_status(in.totals, in.plane),
                   .impairment_order = {kImpairmentOrder.begin(), kImpairmentOrder.end()},
                   .ports = ports_status(ports),
                   .unknown_senders = unknown_senders_status(in.plane),
                   .robots = robots_status(in, ports),
                   .media = media_status(in),
                   .links = std::move(links.links)};
  if (links.left_out > 0) {
    status.links_left_out = links.left_out;
  }
  if (!in.configuration.flows.empty()) {
    status.flows = flows_status(in.configuration);
  }
  if (std::vector<FarPairsStatus> far = far_pairs_status(in.far_pairs); !far.empty()) {
    status.far_pairs = std::move(far);
  }
  if (const auto* embedded = std::get_if<EmbeddedConfig>(&in.configuration.netsim);
      embedded != nullptr && embedded->map) {
    status.map = MapStatus{.file = embedded->map->string(), .pairs_outside = in.outside_map};
  }
  if (!in.unoriented.empty()) {
    status.antennas = AntennasStatus{names_of(in.unoriented, in.configuration)};
  }
  if (const auto site = in.plane.site()) {
    status.site = site_status(*site, in.totals);
  }
  if (judged_by_packet(in.configuration)) {
    status.verdicts = verdict_status(in.windows, in.totals);
  }
  if (access_network(in.configuration) != nullptr) {
    status.access_points = access_points_status(in);
    status.stations = stations_status(in);
  }
  status.mesh = mesh_status(in);
  status.capture = in.capture;
  status.record = in.record;
  status.scenario = in.scenario;
  status.mavlink = in.telemetry.mavlink_status();
  status.dds = in.telemetry.dds_status();
  if (has_gnss(in.configuration)) {
    status.gnss = in.telemetry.gnss_status();
  }
  status.cot = in.telemetry.cot_status();
  status.dis = in.telemetry.dis_status();
  status.foxglove = in.foxglove;
  status.dlep = in.dlep;
  diagnose(status, named_obstacles(in.configuration.world), links.losses, in.meters.links.recent_loss());
  return status;
}

}  // namespace hilgate
