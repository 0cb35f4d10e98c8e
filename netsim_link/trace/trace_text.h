// SPDX-License-Identifier: Apache-2.0
// Text of traces: lines with their numbers, fields, numbers that are numbers, and what is wrong with them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "clock/time.h"
#include "config/config_file.h"

namespace hilgate {

/// The current entry is invalid; the text states what is allowed.
class BadEntry : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The faults of one file, the first of them: a file of the wrong kind has one in each line.
class TraceFaults {
 public:
  explicit TraceFaults(std::string file) : file_(std::move(file)) {}
  void add(int line, const std::string& text);
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] bool full() const { return faults_.size() >= kMost; }
  /// Throws ConfigError when there is any.
  void finish() const;

 private:
  static constexpr std::size_t kMost = 10;
  std::string file_;
  std::vector<Fault> faults_;
};

/// The lines of a text.
class TraceLines {
 public:
  explicit TraceLines(std::string_view text) : rest_(text) {}
  /// Advances to the next line; false after the last.
  bool next();
  /// The line at hand, without its end.
  [[nodiscard]] std::string_view text() const { return line_; }
  [[nodiscard]] int number() const { return number_; }
  /// Nothing follows it, not even the end of a line: it may be a part of one.
  [[nodiscard]] bool may_be_cut() const { return !ended_; }
  /// No further line has any text.
  [[nodiscard]] bool is_last() const { return rest_.find_first_not_of(" \t\r\n") == std::string_view::npos; }
  /// The note of a line that is no whole entry.
  [[nodiscard]] std::string cut_off_text() const {
    return "line " + std::to_string(number_) + " is cut off and left out: the trace ends with the entry before it";
  }

 private:
  std::string_view rest_;
  std::string_view line_{};
  int number_ = 0;
  bool ended_ = true;
};

/// Calls read() for the line at hand. What is wrong with a line goes to the faults, or makes a note of the last one
/// that may be cut: it is no whole entry. False when nothing more is to be read.
template <class Read>
bool read_entry(const TraceLines& lines, TraceFaults& faults, std::vector<std::string>& notes, Read read) {
  try {
    read();
  } catch (const BadEntry& bad) {
    if (lines.may_be_cut()) {
      notes.push_back(lines.cut_off_text());
      return false;
    }
    faults.add(lines.number(), bad.what());
  }
  return !faults.full();
}

/// A measured_number() in [low, high]; throws BadEntry: "`what` is 'text'; allowed: `allowed`".
double number_in(std::string_view text, double low, double high, std::string_view what, std::string_view allowed);
/// A span of so many `unit`s of nanoseconds, in [0, most]; the same.
Nanoseconds span_in(std::string_view text, double unit_ns, Nanoseconds most, std::string_view what,
                    std::string_view allowed);

}  // namespace hilgate
