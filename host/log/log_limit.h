// SPDX-License-Identifier: Apache-2.0
// A limit on log lines per cause, so that no peer can fill the log or the time of the thread that
// writes it. Suppressed lines are counted and reported.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace hilgate {

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
