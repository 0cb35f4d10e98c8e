// SPDX-License-Identifier: Apache-2.0
// Programs that tests start: they end with the test, whatever happens to it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <vector>

namespace hilgate::test {

/// A program running beside the test. Standard output and standard error go to one memory file. The destructor ends the
/// program (SIGTERM, 2 s later SIGKILL). It also gets SIGKILL when the thread that started it ends, so start programs
/// from threads that outlive them.
class Process {
 public:
  /// argv[0] is looked up in PATH. Throws std::system_error when the program cannot be started.
  explicit Process(const std::vector<std::string>& argv);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }
  void signal(int number) const;
  /// Ends it with a signal, or with SIGKILL when it is still there 2 s later, and waits for the end.
  void stop(int number = SIGTERM);

  /// Waits for the end. Exit status as a shell says it (128 + number after a signal); empty: still running.
  std::optional<int> wait(std::chrono::milliseconds limit);

  /// What it has written so far.
  [[nodiscard]] std::string output() const;

  /// True as soon as the output contains `text`; false when the program ended or the time is over without it.
  bool wait_for_output(const std::string& text, std::chrono::milliseconds limit);

 private:
  pid_t pid_ = -1;
  int pidfd_ = -1;
  int output_ = -1;
  std::optional<int> status_;
};

struct Finished {
  int status = 0;
  std::string output;
};

/// Runs to the end; one minute at most, then std::runtime_error.
Finished run(const std::vector<std::string>& argv);

/// As run(), and std::runtime_error with command and output when the status is not 0. Returns the output.
std::string run_ok(const std::vector<std::string>& argv);

}  // namespace hilgate::test
