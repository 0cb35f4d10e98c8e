// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace hilgate {

struct CheckOptions {
  std::filesystem::path file;
  std::string gateway{};             // of the site, as whom; empty: as none of them
  std::filesystem::path scenario{};  // instead of the file's own; empty: that one
  bool live = false;                 // also what needs this machine: interfaces, processors
};

/// `hilgate check`: says that a file is good and what it describes. Throws ConfigError with its faults otherwise.
int check_command(const CheckOptions& options);

}  // namespace hilgate
