// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>

namespace hilgate {

/// What a run has said during the last minutes: a report each second, as text. At most 10 minutes and 64 MiB.
class RunHistory {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Text = std::shared_ptr<const std::string>;

  void add(Time at, Text report);
  /// One report a line, oldest first: all of them, or evenly fewer where that would be more than 8 MiB.
  [[nodiscard]] Text text() const;
  [[nodiscard]] std::size_t size() const { return reports_.size(); }

 private:
  struct Report {
    Time at;
    Text text;
  };
  std::deque<Report> reports_;
  std::size_t bytes_ = 0;
  mutable Text all_;  // as of the last report, once somebody has asked
};

}  // namespace hilgate
