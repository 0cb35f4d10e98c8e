// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hilgate {

struct LabOptions {
  std::filesystem::path file;
  std::string robot;                 // exec only
  std::vector<std::string> command;  // exec only
};

/// `hilgate lab up|status|down|exec`. Throw ConfigError or std::runtime_error; exec returns only when the command could
/// not be run, with the status a shell gives then; status returns 1 when the lab is not as `up` made it.
int lab_up_command(const LabOptions& options);
int lab_status_command(const LabOptions& options);
int lab_down_command(const LabOptions& options);
int lab_exec_command(const LabOptions& options);

}  // namespace hilgate
