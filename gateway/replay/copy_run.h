// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/replay/frame_source.h"
#include "gateway/run/recorder/run_document.h"

namespace hilgate {

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
  /// Throws nlohmann::json::exception for what is none.
  static CopyLink of(const nlohmann::ordered_json& json);
};

struct CopyPlan {
  RunSources sources;            // a configuration of pace wall, which check_copy() finds good
  std::filesystem::path folder;  // of its record; it is there
  bool capture = false;          // with frames.pcapng beside the record
};

/// Runs a configuration without ports and clock, until the last frame has come to its end. Throws std::runtime_error.
std::vector<CopyLink> run_copy(const CopyPlan& plan, FrameSource& frames, const RunIdentity& identity);

/// Throws std::runtime_error for a configuration that has simulators in other processes, or robots that say where they
/// are.
void check_copy(const Configuration& configuration);

/// The capture in the folder of a copy.
inline constexpr const char* kCopyCapture = "frames.pcapng";

}  // namespace hilgate
