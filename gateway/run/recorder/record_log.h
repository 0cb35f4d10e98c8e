// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/sinks/base_sink.h>

#include <functional>
#include <mutex>
#include <string>

#include "host/log/log_limit.h"

namespace hilgate {

/// Hands lines of the log on as JSON, as many of a cause as the log itself takes.
class RecordLog final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  using Take = std::function<void(std::string)>;

  explicit RecordLog(Take take) : take_(std::move(take)) {}
  /// Nothing is handed on any more.
  void end();

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override;
  void flush_() override {}

 private:
  Take take_;  // empty: ended
  LogLimit limit_;
};

}  // namespace hilgate
