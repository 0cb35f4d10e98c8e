// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "clock/time.h"

namespace hilgate {

struct RunOptions {
  std::filesystem::path file;
  std::string version{};               // of the program, for records
  std::string gateway{};               // of the site, which this process is; empty: there is no site
  std::filesystem::path scenario{};    // instead of the file's own; empty: that one
  std::filesystem::path ready_file{};  // RunStart::ready_file
  std::optional<Nanoseconds> from{};   // of the scenario: where the run begins; nothing: at its start
};

/// `hilgate run` and `hilgated`: runs the gateway until a signal or its scenario ends it. Returns the exit status, 1
/// when something went otherwise than the scenario expects, or an output that the file asks for (a record, a capture,
/// the page) is incomplete or does not work at the end. Throws ConfigError for a file that cannot run here, also
/// because another run has its name or its ports, std::runtime_error for a run that failed.
int run_command(const RunOptions& options);

}  // namespace hilgate
