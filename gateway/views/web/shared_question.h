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

/// What takes long is done one after the other, with a rest of four times as long behind each, 1 s at most, in which
/// the thread does everything else: whoever asks for it again and again keeps nobody else waiting for more than one of
/// them.
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

/// A question that many may have at the same time, and that is asked for all of them at once: who comes while the
/// answer is on its way gets that one, and the next is asked four times as long after it as it took, at most a second
/// later. However many ask, whoever answers has the rest of its time for itself.
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
