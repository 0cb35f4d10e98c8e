// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace hilgate {

struct ReplayOptions {
  std::filesystem::path record;
  std::filesystem::path records{};  // where the replay is recorded; empty: nowhere
  std::filesystem::path frames{};   // a capture of the run, whose frames go through it again; empty: live traffic
  std::filesystem::path output{};   // with frames: a capture of what came of them; empty: none
  bool force = false;               // also with another version, or with files that were changed
  std::string version{};            // of the program
};

/// `hilgate replay`: runs a recorded run's configuration again. For live traffic, with the recorded link tables as the
/// air, as run_command(); with recorded frames without ports and clock: 1 when other frames are released than then.
/// Throws std::runtime_error for what is no record, and for one that differs, unless forced.
int replay_command(const ReplayOptions& options);

}  // namespace hilgate
