// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/recorder/recorder.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "clock/host_now.h"
#include "config/plain_text.h"
#include "gateway/record/verdict_codec.h"
#include "gateway/run/simulation/dilation.h"
#include "host/log/log.h"

namespace hilgate {

std::optional<RecorderStatus> Recorder::status() const {
  if (!state_) {
    return std::nullopt;
  }
  RecorderStatus status{.folder = folder_.string(),
                        .bytes = state_->bytes.load(std::memory_order_relaxed),
                        .tables = state_->tables.load(std::memory_order_relaxed),
                        .missed = state_->missed.load(std::memory_order_relaxed)};
  const std::scoped_lock lock(state_->mutex);
  if (!state_->problem.empty()) {
    status.problem = state_->problem;
  }
  return status;
}

std::string Recorder::problem() const {
  if (!state_) {
    return {};
  }
  const std::scoped_lock lock(state_->mutex);
  return state_->problem;
}

namespace {

using namespace std::chrono_literals;

constexpr auto kEach = 1s;
constexpr Nanoseconds kPositionsEach = 100ms;  // of sim time
// What leaves another configuration in force.
constexpr std::array<std::string_view, 4> kReconfigured = {"set", "set_back", "reload", "from"};

double centimetres(double metres) {
  return std::round(metres * 100) / 100;
}

}  // namespace

Recorder::~Recorder() {
  if (log_) {
    log_->end();
  }
}

void Recorder::start(const RunSources& sources, const RunIdentity& identity) {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  ahead_ = std::chrono::seconds{now.tv_sec} + Nanoseconds{now.tv_nsec} - host_now().time_since_epoch();
  state_ = std::make_shared<RecordWriter::State>();
  next_links_ = next_positions_ = SimTime{};
  positions_.clear();
  std::map<std::string, std::string> kept;
  try {
    folder_ = make_record_folder(std::filesystem::absolute(gateway_.configuration.record->folder),
                                 gateway_.configuration.name, utc());
    kept = keep_sources(sources, folder_);
    writer_ = std::make_unique<RecordWriter>(folder_ / kRecordFile, identity.version, state_);
  } catch (const std::system_error& error) {
    throw std::runtime_error(fmt::format("record.folder: {}; name a folder that can be written", error.what()));
  }
  put(RecordTopic::kRun, run_document(sources, identity, utc(), kept));
  put_layout();
  log_ = std::make_shared<RecordLog>(
      [this](std::string line) { writer_->put(RecordTopic::kLog, utc(), std::move(line)); });
  spdlog::default_logger()->sinks().push_back(log_);
  spdlog::info("record: {}", folder_.string());
  tick();
}

// The log has what else happens.
void Recorder::happened(std::string_view event, const nlohmann::ordered_json& fields) {
  const bool changed = std::ranges::find(kReconfigured, event) != kReconfigured.end();
  if (!writer_ || (!changed && event != "pause" && event != "resume")) {
    return;
  }
  nlohmann::ordered_json change{{"what", event}};
  if (changed) {
    change["values"] = fields.contains("values") ? fields["values"] : nlohmann::ordered_json::array();
    change["configuration"] = gateway_.document();
  }
  put(RecordTopic::kChanges, change);
  if (changed) {
    put_layout();
  }
}

void Recorder::end(const std::string& why, const nlohmann::ordered_json& status) {
  if (!writer_) {
    return;
  }
  timer_.cancel();
  log_->end();
  std::erase(spdlog::default_logger()->sinks(), std::static_pointer_cast<spdlog::sinks::sink>(log_));
  put_each_second();
  put(RecordTopic::kEnd, {{"why", why}, {"status", status}});
  writer_.reset();
}

void Recorder::table_made(const LinkTable& table) {
  if (!writer_) {
    return;
  }
  if (table.at >= next_links_) {
    next_links_ = table.at + gateway_.configuration.record->every;
    writer_->put(table, utc());
  }
  if (table.at >= next_positions_) {
    next_positions_ = table.at + kPositionsEach;
    put_positions();
  }
}

void Recorder::verdicts(std::span<const Verdict> verdicts) {
  if (writer_ && !verdicts.empty()) {
    writer_->put(RecordTopic::kVerdicts, utc(), encode_verdicts(verdicts));
  }
}

Nanoseconds Recorder::utc() const {
  return host_now().time_since_epoch() + ahead_;
}

void Recorder::put(RecordTopic topic, const nlohmann::ordered_json& json) {
  writer_->put(topic, utc(), json_line(json));
}

// Messages from here on have other numbers; the air continues unchanged.
void Recorder::put_layout() {
  put(RecordTopic::kLayout, layout_of(gateway_.configuration, gateway_.simulation.air).json());
  counts_.restart();
  // Before windows begin, a table is empty; that of embedded models follows with the first window.
  if (!gateway_.windows.engine().running() && external_netsim(gateway_.configuration) == nullptr &&
      physics_simulator(gateway_.configuration) == nullptr) {
    return;
  }
  LinkTable table = gateway_.windows.table();
  change_pace(table, gateway_.configuration.dilation, Dilation{});
  writer_->put(table, utc());
}

void Recorder::put_counts() {
  const std::size_t ends = link_ends(gateway_.configuration);
  const std::size_t robots = gateway_.configuration.robots.size();
  writer_->put(RecordTopic::kCounts, utc(), counts_.encode(ends * ends, [&](std::size_t link) {
    const RobotIndex from{static_cast<std::uint32_t>(link / ends)};
    const RobotIndex to{static_cast<std::uint32_t>(link % ends)};
    const bool is_link = from.value() < robots && to.value() < robots && are_linked(gateway_.configuration, from, to);
    return is_link ? gateway_.plane.counts(gateway_.slots.link(from, to)) : LinkCounts{};
  }));
}

void Recorder::put_positions() {
  const Scene* scene = gateway_.windows.scene();
  const std::vector<RobotConfig>& robots = gateway_.configuration.robots;
  if (scene == nullptr || scene->robots.size() != robots.size()) {
    return;
  }
  nlohmann::ordered_json places = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < robots.size(); ++i) {
    const Vec3& at = scene->robots[i].position;
    places[robots[i].name] = {{"x", centimetres(at.x)}, {"y", centimetres(at.y)}, {"z", centimetres(at.z)}};
  }
  if (std::string text = places.dump(); text != positions_) {
    positions_ = std::move(text);
    put(RecordTopic::kPositions,
        {{"sim_s", seconds_of(gateway_.windows.now().time_since_epoch())}, {"robots", std::move(places)}});
  }
}

void Recorder::put_each_second() {
  nlohmann::ordered_json totals = gateway_.totals();
  if (!totals.is_null()) {
    put(RecordTopic::kTotals, {{"sim_s", seconds_of(gateway_.windows.now().time_since_epoch())},
                               {"window", gateway_.windows.engine().window()},
                               {"totals", std::move(totals)}});
  }
  put(RecordTopic::kClock, gateway_.clock());
  put_counts();
  put_positions();
}

void Recorder::tick() {
  timer_.expires_after(kEach);
  timer_.async_wait([this](const asio::error_code& error) {
    if (!error && writer_) {
      put_each_second();
      tick();
    }
  });
}

void RecordLog::end() {
  const std::scoped_lock lock(mutex_);
  take_ = nullptr;
}

void RecordLog::sink_it_(const spdlog::details::log_msg& message) {
  const std::string_view text(message.payload.data(), message.payload.size());
  if (!take_ || (message.level < spdlog::level::err && !limit_.take(text, LogLimit::Time::clock::now()).passes)) {
    return;
  }
  const auto level = spdlog::level::to_string_view(message.level);
  nlohmann::ordered_json json{{"level", std::string_view(level.data(), level.size())}, {"text", text}};
  for (const std::string& field : journal_fields(0, "", "")) {
    for (const auto& [name, key] : {std::pair{"HILGATE_PORT=", "port"}, std::pair{"HILGATE_ROBOT=", "robot"}}) {
      if (field.starts_with(name)) {
        json[key] = field.substr(std::string_view(name).size());
      }
    }
  }
  take_(json_line(json));
}

}  // namespace hilgate
