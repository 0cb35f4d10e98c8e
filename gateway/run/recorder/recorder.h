// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <asio/io_context.hpp>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/record/count_codec.h"
#include "gateway/run/events/run_observer.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/run/recorder/record_writer.h"
#include "gateway/run/recorder/run_document.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/status/model/record_status.h"
#include "host/control_clock.h"
#include "host/log/log.h"
#include "path/data_plane.h"

namespace hilgate {

/// Hands lines of the log on as JSON, as many of a cause as the log itself takes.
class RecordLog final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  using Take = std::function<void(std::string)>;

  explicit RecordLog(Take take) : take_(std::move(take)) {}
  /// Nothing is handed on any more.
  void end();

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  Take take_;  // empty: ended
  LogLimit limit_;
};

/// Records an active run; docs/how-to/records.md lists what. It does nothing until it is started. Control thread.
class Recorder final : public RunObserver {
 public:
  /// All of these are the running gateway's own, and change with it.
  struct Gateway {
    const Configuration& configuration;
    const Simulation& simulation;
    const RobotSlots& slots;
    const Windows& windows;
    const DataPlane& plane;
    std::function<nlohmann::ordered_json()> totals, clock;  // of the status document
    std::function<std::string()> document;                  // the configuration in force, as YAML
  };

  Recorder(asio::io_context& context, Gateway gateway) : gateway_(std::move(gateway)), timer_(context) {}
  ~Recorder() override;

  /// Also again, after end(). Throws std::runtime_error when the folder or the file cannot be made.
  void start(const RunSources& sources, const RunIdentity& identity);
  /// The run is over. `status`: the last status document.
  void end(const std::string& why, const nlohmann::ordered_json& status);

  /// Nothing where nothing is recorded.
  [[nodiscard]] std::optional<RecorderStatus> status() const;
  /// Why the record ended early; empty while it is written, and where nothing is recorded.
  [[nodiscard]] std::string problem() const;

  void table_made(const LinkTable& table) override;
  void verdicts(std::span<const Verdict> verdicts) override;
  void happened(std::string_view event, const nlohmann::ordered_json& fields) override;

 private:
  [[nodiscard]] Nanoseconds utc() const;
  void put(RecordTopic topic, const nlohmann::ordered_json& json);
  void put_layout();
  void put_counts();
  void put_positions();
  void put_each_second();
  void tick();

  Gateway gateway_;
  ControlTimer timer_;
  Nanoseconds ahead_{0};  // UTC of host time, as of the start
  std::filesystem::path folder_;
  std::shared_ptr<RecordWriter::State> state_;
  std::unique_ptr<RecordWriter> writer_;  // null: nothing is recorded
  std::shared_ptr<RecordLog> log_;
  CountEncoder counts_;
  SimTime next_links_{};  // with `every`
  SimTime next_positions_{};
  std::string positions_;  // as written last
};

}  // namespace hilgate
