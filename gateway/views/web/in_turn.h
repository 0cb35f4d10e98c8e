// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <functional>

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

}  // namespace hilgate
