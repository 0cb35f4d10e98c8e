// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "gateway/views/web/run_history.h"

namespace hilgate {

/// Asks a gateway for its status, as long as the context runs: four times a second while somebody watches, else once,
/// and less often where the answer takes long. A report is {"at": ms, "answer": what the control socket said}; `at` is
/// of a clock that only runs forward.
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
};

}  // namespace hilgate
