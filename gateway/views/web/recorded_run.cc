// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/web/recorded_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "config/plain_text.h"
#include "gateway/record/record_reader.h"
#include "gateway/record/record_status.h"
#include "gateway/status/model/diagnosis.h"

namespace hilgate {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostWorlds = 256;
// Lines of the log about changes, which a record has as such.
constexpr std::array<std::string_view, 3> kChangeLines = {"set: ", "set back: ", "reloaded "};

std::int64_t milliseconds_of(Nanoseconds at) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(at).count();
}

Vec3 point_of(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

GeoBuilding building_of(const Json& json) {
  GeoBuilding building{.name = json.value("name", ""),
                       .rings = {},
                       .base_m = json.at("base_m").get<double>(),
                       .top_m = json.at("top_m").get<double>(),
                       .material = json.value("material", ""),
                       .wall_m = {}};
  for (const Json& points : json.at("rings_m")) {
    GroundRing& ring = building.rings.emplace_back();
    for (const Json& point : points) {
      ring.push_back({point.at(0).get<double>(), point.at(1).get<double>()});
    }
  }
  return building;
}

/// Boxes and buildings; the ground is not part of a record.
NamedObstacles obstacles_of(const Json& world) {
  NamedObstacles named;
  if (!world.is_object()) {
    return named;
  }
  for (const Json& obstacle : world.value("obstacles", Json::array())) {
    named.boxes.push_back({obstacle.value("name", ""),
                           obstacle.value("material", ""),
                           {point_of(obstacle.at("low_m")), point_of(obstacle.at("high_m"))}});
  }
  auto place = std::make_shared<GeoScene>();
  std::vector<Prism> prisms;
  for (const Json& json : world.value("buildings", Json::array())) {
    const GeoBuilding& building = place->buildings.emplace_back(building_of(json));
    prisms.push_back({.rings = building.rings,
                      .base_m = building.base_m,
                      .top_m = building.top_m,
                      .material = 0,
                      .wall_m = {},
                      .fixed_loss_db = {}});
  }
  if (!prisms.empty()) {
    named.place = std::move(place);
    named.buildings = std::make_shared<const Buildings>(std::move(prisms));
  }
  return named;
}

/// The part of a recorded status from which reasons and findings follow.
RunStatus diagnosable(const Json& json) {
  RunStatus status;
  status.assignments = json.at("assignments").get<std::vector<std::string>>();
  if (const auto totals = json.find("totals"); totals != json.end()) {
    status.totals.balanced = totals->value("balanced", true);
  }
  if (json.contains("stations")) {
    status.access_points.emplace();
  }
  for (const Json& robot : json.at("robots")) {
    RobotStatus& added = status.robots.emplace_back();
    added.name = robot.at("name");
    if (const auto position = robot.find("position"); position != robot.end()) {
      added.position = point_of(*position);
    }
  }
  for (const Json& link : json.at("links")) {
    LinkStatus& added = status.links.emplace_back();
    added.from = link.at("from");
    added.to = link.at("to");
    added.reachable = link.value("reachable", false);
    added.line_of_sight = link.value("line_of_sight", true);
    added.snr.value = link.value("snr_db", 0.0);
    added.frame_loss.value = link.value("frame_loss", 0.0);
    added.released = link.value("released", std::uint64_t{0});
    const Json dropped = link.value("dropped", Json::object());
    for (const auto& [reason, count] : dropped.items()) {
      added.dropped.emplace_back(reason, count);
    }
  }
  return status;
}

class Reports final : public RecordVisitor {
 public:
  Reports(const WorldOf& world, const RecordRoom& room) : world_of_(world), room_(room) {}

  void layout(Nanoseconds at, const RunLayout& layout) override {
    note(at);
    status_.layout(layout);
    if (worlds_.empty()) {
      add_world(at);
    }
  }
  void links(Nanoseconds at, const Links& links) override {
    note(at);
    status_.links(links.table);
  }
  void counts(Nanoseconds at, const Counts& counts) override {
    note(at);
    status_.counts(counts.rows);
    if (seconds_++ % step_ == 0) {
      add_report(at);
    }
  }
  void verdicts(Nanoseconds at, const std::vector<Verdict>&) override { note(at); }
  void said(Nanoseconds at, const std::string& topic, const nlohmann::json& json) override {
    note(at);
    status_.said(topic, json);
    if (topic == kRunTopic) {
      run_ = json.value("run", "");
    } else if (topic == kChangesTopic) {
      add_changes(at, json);
    } else if (topic == kLogTopic) {
      add_line(at, json.value("level", ""), json.value("text", ""));
    } else if (topic == kMissedTopic) {
      add_event(at, "bad", fmt::format("{} messages are missing in the record", json.at("messages").dump()));
    } else if (topic == kEndTopic) {
      const auto why = json.value("why", "");
      add_event(at, why.empty() ? "note" : "bad", why.empty() ? "the run ended" : "the run ended: " + why);
    }
  }

  [[nodiscard]] RecordedRun finish(const std::string& name, const std::string& end) const {
    if (reports_.empty()) {
      throw std::runtime_error(fmt::format("{}: has nothing to show: not one second of the run was written{}", name,
                                           end.empty() ? "" : "; it " + end));
    }
    std::string text;
    text.reserve(bytes_ + reports_.size());
    for (const std::string& each : reports_) {
      text += each;
      text += '\n';
    }
    Json events = Json::array();
    for (const Json& each : events_) {
      events.push_back(each);
    }
    return {.reports = std::make_shared<const std::string>(std::move(text)),
            .about = std::make_shared<const std::string>(json_line(Json{{"name", name},
                                                                        {"run", run_},
                                                                        {"first_ms", milliseconds_of(first_)},
                                                                        {"last_ms", milliseconds_of(last_)},
                                                                        {"step_s", step_},
                                                                        {"end", end},
                                                                        {"events", std::move(events)},
                                                                        {"worlds", worlds_}}))};
  }

 private:
  void note(Nanoseconds at) {
    first_ = first_.count() == 0 ? at : std::min(first_, at);
    last_ = std::max(last_, at);
  }

  void add_report(Nanoseconds at) {
    Json status = status_.json(seconds_of(at - first_));
    diagnose_recorded(at, status);
    const Json answer{{"ok", true}, {"result", std::move(status)}};
    reports_.push_back(json_line(Json{{"at", milliseconds_of(at)}, {"answer", answer}}));
    bytes_ += reports_.back().size();
    while ((bytes_ > room_.bytes || reports_.size() > room_.reports) && reports_.size() > 2) {
      halve();
    }
  }

  // Fields of a running gateway's status that follow from what it records, and are not recorded.
  void diagnose_recorded(Nanoseconds at, Json& json) {
    RunStatus status = diagnosable(json);
    losses_.resize(status.links.size());
    std::vector<std::optional<double>> losses;
    for (std::size_t i = 0; i < status.links.size(); ++i) {
      std::uint64_t dropped = 0;
      for (const auto& [reason, count] : status.links[i].dropped) {
        dropped += count;
      }
      losses_[i].count(status.links[i].released, dropped, at);
      losses.push_back(losses_[i].value());
    }
    diagnose(status, obstacles_, losses, std::nullopt);
    for (std::size_t i = 0; i < status.links.size(); ++i) {
      json["links"][i]["reasons"] = status.links[i].reasons;
    }
    json["findings"] = status_value("findings", status.findings);
  }

  // Every second one stays, the first among them.
  void halve() {
    step_ *= 2;
    std::vector<std::string> rest;
    bytes_ = 0;
    for (std::size_t i = 0; i < reports_.size(); i += 2) {
      bytes_ += reports_[i].size();
      rest.push_back(std::move(reports_[i]));
    }
    reports_ = std::move(rest);
  }

  void add_event(Nanoseconds at, std::string_view kind, std::string text) {
    events_.push_back({{"at", milliseconds_of(at)}, {"kind", kind}, {"text", std::move(text)}});
    if (events_.size() > room_.events) {
      events_.pop_front();
    }
  }

  void add_changes(Nanoseconds at, const nlohmann::json& json) {
    const auto what = json.value("what", "");
    const auto values = json.value("values", std::vector<std::string>());
    for (const std::string& value : values) {
      add_event(at, "change", fmt::format("{}: {}", what == "set_back" ? "set back" : what, value));
    }
    if (values.empty()) {
      add_event(at, "change", what);
    }
    if (json.contains("configuration")) {
      add_world(at);
    }
  }

  void add_line(Nanoseconds at, const std::string& level, const std::string& text) {
    if (std::ranges::none_of(kChangeLines, [&](std::string_view begin) { return text.starts_with(begin); })) {
      add_event(at, level == "info" || level == "debug" ? "note" : "bad", text);
    }
  }

  // Where it is another one.
  void add_world(Nanoseconds at) {
    if (worlds_.size() >= kMostWorlds) {
      return;
    }
    std::string text = world_of_(status_.assignments());
    if (text != world_) {
      world_ = std::move(text);
      const Json world = Json::parse(world_);
      obstacles_ = obstacles_of(world);
      worlds_.push_back({{"at", milliseconds_of(at)}, {"world", world}});
    }
  }

  const WorldOf& world_of_;
  RecordRoom room_;
  RecordStatus status_;
  std::string run_;
  Nanoseconds first_{0}, last_{0};
  std::uint64_t seconds_ = 0;
  std::uint64_t step_ = 1;  // seconds between two reports
  std::vector<std::string> reports_;
  std::size_t bytes_ = 0;
  std::deque<Json> events_;
  std::string world_;
  NamedObstacles obstacles_;        // of world_
  std::vector<RecentLoss> losses_;  // by link
  Json worlds_ = Json::array();
};

}  // namespace

RecordedRun read_recorded_run(const std::filesystem::path& record, const WorldOf& world, const RecordRoom& room) {
  Reports reports(world, room);
  RecordSummary summary;
  summary.end = read_record(record, reports);
  const std::filesystem::path file = std::filesystem::absolute(record_file(record)).lexically_normal();
  const std::filesystem::path name = file.filename() == kRecordFile ? file.parent_path().filename() : file.filename();
  return reports.finish(name.string(), summary.end_text());
}

}  // namespace hilgate
