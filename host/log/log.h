// SPDX-License-Identifier: Apache-2.0
// The log in systemd's journal: entries with a priority, without a time stamp of their own, and with fields that say
// which run, port and robot they are about: `journalctl HILGATE_ROBOT=red`.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace hilgate {

/// Whether standard error leads to the journal ($JOURNAL_STREAM; systemd.exec(5)).
[[nodiscard]] bool stderr_is_journal();

/// Where standard error leads to the journal, the log goes there as entries with the field HILGATE_RUN, unless `run` is
/// empty; elsewhere it stays as it is. Before limit_log().
void log_to_journal(const std::string& run);

/// As log_to_journal(), for simulator programs: elsewhere the log is their lines on standard error only.
void log_plainly(const std::string& run);

/// Reports that a program is ready: an entry where the log is in the journal, else a line on standard output, at once.
void log_readiness(std::string_view text);

/// Reports why a program ends, line by line: as errors where the log is in the journal, else on standard error.
void log_failure(std::string_view text);

/// What the log lines of a thread are about: fields HILGATE_PORT and HILGATE_ROBOT, where they are not empty.
struct LogSubject {
  std::string port{};
  std::string robot{};
};

/// Gives the log lines of this thread their subject as long as it lives; the innermost counts.
class LogScope {
 public:
  explicit LogScope(LogSubject subject);
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

 private:
  LogSubject subject_;
  const LogSubject* outer_;
};

/// The fields of an entry, "NAME=value" each. `priority` is syslog's, 0 to 7.
[[nodiscard]] std::vector<std::string> journal_fields(int priority, std::string_view text, const std::string& run);

// A limit on log lines per cause, so that no peer can fill the log or the time of the thread that
// writes it. Suppressed lines are counted and reported.

/// Two lines have the same cause when they differ in numbers, names in quotes and words with digits alone, within their
/// first words. Lines of too many causes count as one cause together. One thread.
class LogLimit {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr double kBurst = 10;         // lines of one cause at once,
  static constexpr double kPerSecond = 0.1;    // then one in ten seconds
  static constexpr std::size_t kCauses = 256;  // distinguished

  struct Verdict {
    bool passes = false;
    std::uint64_t left_out = 0;  // lines of this cause since the last that passed
  };
  Verdict take(std::string_view text, Time now);
  /// Since the start.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

  /// What a text is taken for.
  [[nodiscard]] static std::string cause_of(std::string_view text);

 private:
  struct Cause {
    double allowance = kBurst;
    Time earned{};
    std::uint64_t left_out = 0;
  };
  std::unordered_map<std::string, Cause> causes_;
  std::uint64_t left_out_ = 0;
};

/// Puts a LogLimit in front of the log's sinks. Lines at level error and above always pass.
void limit_log();

}  // namespace hilgate
