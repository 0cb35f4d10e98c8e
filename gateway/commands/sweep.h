// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "gateway/replay/sweep.h"

namespace hilgate {

struct SweepOptions {
  std::filesystem::path file;
  SweepPlan plan{};  // without jobs: 0 is as many as there are processors
  bool json = false;
  std::string version{};  // of the program, for records
};

/// `hilgate sweep`: runs copies of a configuration and prints what they have in common. 1 when a copy failed. Throws
/// ConfigError and std::runtime_error for what no copy could run.
int sweep_command(const SweepOptions& options);

}  // namespace hilgate
