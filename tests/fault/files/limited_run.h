// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace hilgate::test {

/// What a program took, and how it ended.
struct LimitedRun {
  int status = 0;  // as a shell says it: 128 + number after a signal; SIGKILL when it was not done in time
  std::string output;
  std::size_t most_kib = 0;  // of resident memory
  std::chrono::nanoseconds time{};
};

/// Runs a program to the end, or to the end of its time. Throws std::system_error.
LimitedRun run_limited(const std::vector<std::string>& argv, std::chrono::seconds limit);

}  // namespace hilgate::test
