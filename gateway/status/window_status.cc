// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/window_status.h"

#include "clock/host_now.h"
#include "physics_link/feeds/position_feed.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

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

Json physics_sockets(const Configuration& configuration) {
  if (const SimulatorConfig* simulator = physics_simulator(configuration)) {
    return Json::array({simulator->address.text()});
  }
  const auto* feed = std::get_if<FeedConfig>(&configuration.external_physics);
  return feed != nullptr ? Json(feed->sockets) : Json::array();
}

Json network_sockets(const Configuration& configuration) {
  const ExternalNetsimConfig* netsim = external_netsim(configuration);
  return netsim != nullptr ? Json::array({netsim->simulator.address.text()}) : Json::array();
}

Json simulator_json(const char* name, const SimulatorStats& stats, Json sockets) {
  return {{"name", name},
          {"sockets", std::move(sockets)},
          {"windows", stats.windows},
          {"late", stats.late.count()},
          {"late_share", stats.late_share()},
          {"late_last_us", microseconds_of(stats.late.last())},
          {"late_max_us", microseconds_of(stats.late.max())},
          {"late_p99_us", microseconds_of(stats.late.quantile(0.99))},
          {"missed", stats.missed},
          {"skipped", stats.skipped},
          {"round_trip_p50_us", microseconds_of(stats.round_trip.quantile(0.5))},
          {"round_trip_p99_us", microseconds_of(stats.round_trip.quantile(0.99))}};
}

Json feed_sources(const Configuration& configuration, const PositionFeed& feed) {
  Json sources = Json::array();
  for (std::uint32_t i = 0; i < feed.sources().size(); ++i) {
    const FeedSource& source = feed.sources()[i];
    Json json{{"robot", configuration.robots[i].name}, {"name", source.name},     {"positions", source.positions},
              {"malformed", source.malformed},         {"future", source.future}, {"old", source.old}};
    if (const auto heard = feed.heard(RobotIndex{i})) {
      json["age_s"] = seconds_of(host_now() - *heard);
    }
    if (!source.trouble.empty()) {
      json["trouble"] = source.trouble;
    }
    sources.push_back(std::move(json));
  }
  return sources;
}

}  // namespace

Json window_status(const Configuration& configuration, const Windows& windows) {
  const WindowReport& report = windows.report();
  const WindowEngine& engine = windows.engine();
  Json json{
      {"length_us", microseconds_of(configuration.window)},
      {"pace", name(configuration.pace)},
      {"running", engine.running()},
      {"number", engine.window()},
      {"sim_time_s", static_cast<double>(windows.now().time_since_epoch().count()) / 1e9},
      {"published", report.published},
      {"missed", report.missed},
      {"last_lateness_us", microseconds_of(report.last_lateness)},
      {"most_lateness_us", microseconds_of(report.most_lateness)},
      {"last_compute_us", microseconds_of(report.last_compute)},
      {"most_compute_us", microseconds_of(report.most_compute)},
      {"boundary_p99_us", microseconds_of(engine.boundaries().quantile(0.99))},
      {"scheduling", configuration.real_time ? "realtime" : "normal"},
      {"late_starts", {{"processor", report.late_by_processor}, {"own_work", report.late_by_own_work}}},
      {"simulators", Json::array({simulator_json("physics", engine.physics_stats(), physics_sockets(configuration)),
                                  simulator_json("netsim", engine.network_stats(), network_sockets(configuration))})}};
  if (const PositionFeed* feed = windows.feed()) {
    const FeedCounters& counters = feed->counters();
    json["feed"] = {
        {"positions", counters.positions}, {"unknown", counters.unknown}, {"malformed", counters.malformed}};
    if (!feed->sources().empty()) {
      json["feed"].update(Json{{"sources", feed_sources(configuration, *feed)}});
    }
  }
  if (!report.last_event.empty()) {
    json["last_event"] = report.last_event;
  }
  return json;
}

Json verdict_status(const Windows& windows, const PathTotals& totals) {
  const VerdictStats& stats = windows.engine().verdict_stats();
  return {{"causality_floor_us", microseconds_of(windows.engine().causality_floor())},
          {"offered", stats.offered},
          {"passed", stats.verdicts},
          {"unknown", stats.unknown},
          {"bad_ber", stats.bad_ber},
          {"retries", stats.retries},
          {"discarded", stats.discarded},
          {"forgotten", stats.forgotten},
          {"expired", stats.expired + windows.packets().unasked()},
          {"late", stats.late.count()},
          {"late_max_us", microseconds_of(stats.late.max())},
          {"late_p99_us", microseconds_of(stats.late.quantile(0.99))},
          {"copies", totals.copies},
          {"copies_refused", totals.copies_refused},
          {"released_late", totals.asked_late.total()},
          {"released_late_p50_us", microseconds_of(totals.asked_late.quantile(0.5))},
          {"released_late_p99_us", microseconds_of(totals.asked_late.quantile(0.99))},
          {"released_late_max_us", microseconds_of(totals.asked_late.quantile(1.0))}};
}

}  // namespace hilgate
