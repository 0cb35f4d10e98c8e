// SPDX-License-Identifier: Apache-2.0
// Copies of a run with other seeds and other values, side by side, each in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gateway/configuration/document/config_document.h"
#include "gateway/replay/copy_run.h"
#include "gateway/replay/frame_source.h"
#include "gateway/run/recorder/run_document.h"

namespace hilgate {

struct SweepPlan {
  std::uint64_t seeds = 10;  // copies of each set of values, at least 1
  std::uint64_t first_seed = 1;
  std::vector<std::string> values{};  // KEY=A,B,C each: all combinations are run
  MadeTraffic traffic{};
  std::filesystem::path frames{};  // a capture, whose frames come in instead; empty: made ones
  std::filesystem::path folder{};  // a folder of its own in it for each copy
  bool capture = false;            // each with a capture
  unsigned jobs = 1;               // copies at a time, at least 1
};

/// One copy.
struct SweepCopy {
  std::size_t set = 0;  // of values: index into Sweep::sets
  std::uint64_t seed = 0;
  std::filesystem::path folder{};
  std::vector<CopyLink> links{};
  std::string failure{};  // why it has no links; empty: it has
};

struct Sweep {
  std::vector<std::vector<std::string>> sets;  // of assignments, KEY=VALUE; one that is empty where nothing was set
  std::vector<SweepCopy> copies;               // by set, then by seed

  /// Of a link in the copies of one set.
  struct Row {
    std::size_t set = 0;
    std::string from, to;
    std::size_t copies = 0;
    std::uint64_t deliveries = 0;
    SampleInterval loss, delay_ms;
  };
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] std::size_t failed() const;
};

/// All combinations of KEY=A,B,C; commas within brackets, braces and quotes belong to a value. Throws
/// std::runtime_error for a text without a key.
std::vector<std::vector<std::string>> combinations(const std::vector<std::string>& values);

/// Runs all copies, without the scenario. Throws ConfigError and std::runtime_error for what no copy could run; a fault
/// of one copy is in its `failure`.
Sweep run_sweep(const ConfigDocument& document, const SweepPlan& plan, const RunIdentity& identity);

}  // namespace hilgate
