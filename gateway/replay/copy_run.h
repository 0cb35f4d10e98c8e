// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/count_codec.h"
#include "gateway/replay/frame_source.h"
#include "gateway/replay/offline_path.h"
#include "gateway/run/recorder/record_writer.h"
#include "gateway/run/recorder/run_document.h"

namespace hilgate {

/// A mean of independent values, and where the mean of all that could be drawn is in 95 of 100 cases (Student's t).
struct SampleInterval {
  /// What no mean can be beyond.
  struct Limits {
    double least = 0, most = 0;
  };

  double mean = 0;
  double low = 0, high = 0;  // of a single value: itself

  /// Requires at least one.
  static SampleInterval of(std::span<const double> values, const Limits& limits);
};

/// The record of a run without ports and clock, as a gateway's Recorder writes it.
class CopyRecord {
 public:
  /// Writes to `folder`, which is there. `utc`: when simulated time is to have begun, since 1970. Throws
  /// std::system_error.
  CopyRecord(const RunSources& sources, const AirPlan& air, const RunIdentity& identity,
             const std::filesystem::path& folder, Nanoseconds utc);

  void links(const LinkTable& table);
  /// Records the counters at `at`, once for each second.
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

/// What a copy of a run counted on a link.
struct CopyLink {
  std::string from, to;
  std::uint64_t deliveries = 0;
  std::uint64_t released = 0;
  double delay_ms = 0;  // mean of those that were released, from arrival to release

  [[nodiscard]] double loss() const {
    return deliveries > 0
               ? static_cast<double>(deliveries - std::min(released, deliveries)) / static_cast<double>(deliveries)
               : 0;
  }
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// Throws nlohmann::json::exception for invalid JSON.
  static CopyLink of(const nlohmann::ordered_json& json);
};

struct CopyPlan {
  RunSources sources;            // a configuration of pace wall, which check_copy() finds good
  std::filesystem::path folder;  // of its record; it is there
  bool capture = false;          // with frames.pcapng next to the record
};

/// Runs a configuration without ports and clock, until the last frame has come to its end. Throws std::runtime_error.
std::vector<CopyLink> run_copy(const CopyPlan& plan, FrameSource& frames, const RunIdentity& identity);

/// Throws std::runtime_error for a configuration that has simulators in other processes, or robots that say where they
/// are.
void check_copy(const Configuration& configuration);

/// The capture in the folder of a copy.
inline constexpr const char* kCopyCapture = "frames.pcapng";

}  // namespace hilgate
