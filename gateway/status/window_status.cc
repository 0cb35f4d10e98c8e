// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/status_parts.h"

#include "clock/host_now.h"
#include "gateway/configuration/bodies.h"
#include "physics_link/feeds/position_feed.h"

namespace hilgate {
namespace {

const char* name(Pace pace) {
  switch (pace) {
    case Pace::kDilate:
      return "dilate";
    case Pace::kFollow:
      return "follow";
    case Pace::kLockstep:
      return "lockstep";
    case Pace::kWall:
      break;
  }
  return "wall";
}

std::vector<std::string> physics_sockets(const Configuration& configuration) {
  if (const SimulatorConfig* simulator = physics_simulator(configuration)) {
    return {simulator->address.text()};
  }
  const auto* feed = std::get_if<FeedConfig>(&configuration.external_physics);
  return feed != nullptr ? feed->sockets : std::vector<std::string>{};
}

std::vector<std::string> network_sockets(const Configuration& configuration) {
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  return netsim != nullptr ? std::vector<std::string>{netsim->simulator.address.text()} : std::vector<std::string>{};
}

SimulatorStatus simulator_status(std::string_view name, const SimulatorStats& stats, std::vector<std::string> sockets) {
  return {.name = name,
          .sockets = std::move(sockets),
          .windows = stats.windows,
          .late = stats.late.count(),
          .late_share = stats.late_share(),
          .late_last = stats.late.last(),
          .late_max = stats.late.max(),
          .late_p99 = stats.late.quantile(0.99),
          .missed = stats.missed,
          .skipped = stats.skipped,
          .round_trip_p50 = stats.round_trip.quantile(0.5),
          .round_trip_p99 = stats.round_trip.quantile(0.99)};
}

FeedStatus feed_status(const Configuration& configuration, const PositionFeed& feed) {
  const FeedCounters& counters = feed.counters();
  FeedStatus status{.positions = counters.positions,
                    .unknown = counters.unknown,
                    .malformed = counters.malformed,
                    .malformed_by = {},
                    .sources = {}};
  if (!counters.malformed_by.empty()) {
    status.malformed_by.emplace(counters.malformed_by.begin(), counters.malformed_by.end());
  }
  if (feed.sources().empty()) {
    return status;
  }
  status.sources.emplace();
  const Bodies bodies(configuration.robots);
  for (std::uint32_t i = 0; i < feed.sources().size(); ++i) {
    const FeedSource& source = feed.sources()[i];
    FeedSourceStatus& added = status.sources->emplace_back(FeedSourceStatus{.robot = bodies.names()[i],
                                                                            .name = source.name,
                                                                            .positions = source.positions,
                                                                            .malformed = source.malformed,
                                                                            .future = source.future,
                                                                            .old = source.old});
    if (const auto last = feed.heard(RobotIndex{i})) {
      added.age = host_now() - *last;
    }
    if (!source.trouble.empty()) {
      added.trouble = source.trouble;
    }
  }
  return status;
}

}  // namespace

WindowStatus window_status(const Configuration& configuration, const Windows& windows) {
  const WindowReport& report = windows.report();
  const WindowEngine& engine = windows.engine();
  WindowStatus status{
      .length = configuration.window,
      .pace = name(configuration.pace),
      .running = engine.running(),
      .number = engine.window(),
      .sim_time = windows.now(),
      .published = report.published,
      .missed = report.missed,
      .last_lateness = report.last_lateness,
      .most_lateness = report.most_lateness,
      .last_compute = report.last_compute,
      .most_compute = report.most_compute,
      .boundary_p99 = engine.boundaries().quantile(0.99),
      .scheduling = configuration.real_time ? "realtime" : "normal",
      .late_starts = {.processor = report.late_by_processor, .own_work = report.late_by_own_work},
      .simulators = {simulator_status("physics", engine.physics_stats(), physics_sockets(configuration)),
                     simulator_status("netsim", engine.network_stats(), network_sockets(configuration))}};
  if (const PositionFeed* feed = windows.feed()) {
    status.feed = feed_status(configuration, *feed);
  }
  if (!report.last_event.empty()) {
    status.last_event = report.last_event;
  }
  return status;
}

VerdictStatus verdict_status(const Windows& windows, const PathTotals& totals) {
  const VerdictStats& stats = windows.engine().verdict_stats();
  return {.causality_floor = windows.engine().causality_floor(),
          .offered = stats.offered,
          .passed = stats.verdicts,
          .unknown = stats.unknown,
          .bad_ber = stats.bad_ber,
          .retries = stats.retries,
          .discarded = stats.discarded,
          .forgotten = stats.forgotten,
          .expired = stats.expired + windows.packets().unasked(),
          .late = stats.late.count(),
          .late_max = stats.late.max(),
          .late_p99 = stats.late.quantile(0.99),
          .copies = totals.copies,
          .copies_refused = totals.copies_refused,
          .released_late = totals.asked_late.total(),
          .released_late_p50 = totals.asked_late.quantile(0.5),
          .released_late_p99 = totals.asked_late.quantile(0.99),
          .released_late_max = totals.asked_late.quantile(1.0)};
}

}  // namespace hilgate
