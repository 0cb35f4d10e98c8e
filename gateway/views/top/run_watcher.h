// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gateway/views/top/run_memory.h"

namespace hilgate {

/// Asks a gateway once a second how it is, as long as the context runs; also when it goes away and comes again.
class RunWatcher {
 public:
  /// `changed` is called after each answer, or where none came.
  RunWatcher(asio::io_context& context, std::string control_socket, std::function<void()> changed);
  RunWatcher(const RunWatcher&) = delete;
  RunWatcher& operator=(const RunWatcher&) = delete;

  [[nodiscard]] const SeenRun& run() const { return run_; }

 private:
  void ask();
  void take(RunMemory::Time asked, const std::string& answer);
  void take_status(RunMemory::Time now, nlohmann::ordered_json status);
  void miss(RunMemory::Time now, const std::string& why);
  void ask_world();

  asio::io_context& context_;
  std::string control_socket_;
  std::function<void()> changed_;
  asio::steady_timer timer_;
  RunMemory memory_;
  SeenRun run_;
  std::optional<RunMemory::Time> problem_since_;
  std::optional<std::uint64_t> changes_of_world_;  // configuration changes counted when `world` was read
  double uptime_s_ = 0;
};

}  // namespace hilgate
