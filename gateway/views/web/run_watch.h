// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <string>

namespace hilgate {

/// The reports of a run during the last minutes: one each second, as text. At most 10 minutes and 64 MiB.
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
  mutable Text all_;  // as of the last report, once requested
};

/// Polls a gateway's status while the context runs: four times a second while a client watches, else once, and less
/// often when the answer takes long. A report is {"at": ms, "answer": reply of the control socket}; `at` is of a
/// monotonic clock.
class RunWatch {
 public:
  using Text = RunHistory::Text;
  using Listener = std::function<void(const Text& report)>;
  /// Listens as long as it is kept.
  using Subscription = std::shared_ptr<void>;

  RunWatch(asio::io_context& context, std::string control_socket);
  RunWatch(const RunWatch&) = delete;
  RunWatch& operator=(const RunWatch&) = delete;

  Subscription subscribe(Listener listener);
  /// Asks at once: the run has changed.
  void hurry();
  /// Null before the first.
  [[nodiscard]] const Text& latest() const { return latest_; }
  [[nodiscard]] const RunHistory& history() const { return history_; }

 private:
  using Listeners = std::list<Listener>;

  void ask();
  void take(RunHistory::Time asked, const std::string& answer);

  asio::io_context& context_;
  std::string control_socket_;
  asio::steady_timer timer_;
  std::shared_ptr<Listeners> listeners_ = std::make_shared<Listeners>();
  Text latest_;
  RunHistory history_;
  bool asking_ = false;
  bool again_ = false;  // the answer that is on its way may be from before a change
};

}  // namespace hilgate
