// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace hilgate::testing {

/// A program that runs beside the test and ends with it, even when the test crashes.
class ChildProcess {
 public:
  ChildProcess(const std::vector<std::string>& command, const std::filesystem::path& log);
  ~ChildProcess() { stop(); }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// SIGTERM, or SIGKILL when `hard`, and waits for the end.
  void stop(bool hard = false);
  void pause();
  void proceed();
  [[nodiscard]] bool is_running();

 private:
  pid_t pid_ = -1;
};

/// Runs a command to its end; throws std::runtime_error with its words when it fails. Returns what it printed.
std::string run(const std::vector<std::string>& command);

}  // namespace hilgate::testing
