// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/count_codec.h"
#include "gateway/replay/offline_path.h"
#include "gateway/run/recorder/record_writer.h"
#include "gateway/run/recorder/run_document.h"

namespace hilgate {

/// The record of a run without ports and clock, as a gateway's Recorder writes it.
class CopyRecord {
 public:
  /// Writes to `folder`, which is there. `utc`: when simulated time is to have begun, since 1970. Throws
  /// std::system_error.
  CopyRecord(const RunSources& sources, const AirPlan& air, const RunIdentity& identity,
             const std::filesystem::path& folder, Nanoseconds utc);

  void links(const LinkTable& table);
  /// What is counted until `at`, once for each second.
  void count(const OfflinePath& path, SimTime at, std::uint64_t window);
  /// Throws std::runtime_error when not all of it could be written.
  void end(const OfflinePath& path, SimTime at, std::uint64_t window);

 private:
  void put(RecordTopic topic, SimTime at, const nlohmann::ordered_json& json);
  void put_counts(const OfflinePath& path, SimTime at, std::uint64_t window);
  [[nodiscard]] Nanoseconds time(SimTime at) const { return utc_ + at.time_since_epoch(); }

  const Configuration& configuration_;
  Nanoseconds utc_;
  Nanoseconds every_;
  std::shared_ptr<RecordWriter::State> state_ = std::make_shared<RecordWriter::State>();
  std::unique_ptr<RecordWriter> writer_;
  CountEncoder counts_;
  SimTime next_links_{};
  SimTime next_counts_{};
};

}  // namespace hilgate
