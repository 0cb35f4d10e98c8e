// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>

#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace hilgate {

/// Runs long work one item at a time, with a rest of four times the duration of each after it, 1 s at most, in which
/// the thread does everything else: repeated requests of one client delay the others by at most one item.
class InTurn {
 public:
  /// Outlives the context's run.
  explicit InTurn(asio::io_context& context) : timer_(context) {}
  InTurn(const InTurn&) = delete;
  InTurn& operator=(const InTurn&) = delete;

  /// Not before it returns.
  void add(std::function<void()> work);

 private:
  void next_after(std::chrono::steady_clock::duration rest);
  void do_one();

  asio::steady_timer timer_;
  std::deque<std::function<void()>> waiting_;
  bool at_work_ = false;
};

/// A request shared by many clients: those that ask while it is in progress get its answer, and the next one is made
/// four times its duration later, at most a second. However many clients ask, the answering side has the rest of its
/// time for itself.
class SharedQuestion {
 public:
  using Text = std::shared_ptr<const std::string>;
  using Take = std::function<void(const Text&)>;
  /// Calls `done` with the answer, once, not before it returns.
  using Ask = std::function<void(std::function<void(std::string)> done)>;

  /// Outlives the context's run.
  SharedQuestion(asio::io_context& context, Ask ask);
  SharedQuestion(const SharedQuestion&) = delete;
  SharedQuestion& operator=(const SharedQuestion&) = delete;

  void ask(Take take);

 private:
  using Clock = std::chrono::steady_clock;

  void begin();
  void take(Clock::time_point asked, std::string answer);

  asio::steady_timer timer_;
  Ask ask_;
  std::vector<Take> waiting_;
  Clock::time_point next_{};
  bool asking_ = false;  // or waiting to
};

}  // namespace hilgate
