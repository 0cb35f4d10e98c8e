// SPDX-License-Identifier: Apache-2.0
#include "host/log/log_limit.h"

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hilgate {
namespace {

constexpr std::size_t kWords = 8;  // that make a cause

class LimitSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit LimitSink(std::vector<spdlog::sink_ptr> sinks) : sinks_(std::move(sinks)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    const auto verdict = limit_.take(text, std::chrono::steady_clock::now());
    if (!verdict.passes && message.level < spdlog::level::err) {
      return;
    }
    pass(message);
    if (verdict.left_out > 0) {
      const std::string note = fmt::format("{} more lines like the last were left out of the log", verdict.left_out);
      pass({message.logger_name, message.level, note});
    }
  }
  void flush_() override {
    for (const auto& each : sinks_) {
      each->flush();
    }
  }

 private:
  void pass(const spdlog::details::log_msg& message) {
    for (const auto& each : sinks_) {
      if (each->should_log(message.level)) {
        each->log(message);
      }
    }
  }

  std::vector<spdlog::sink_ptr> sinks_;
  LogLimit limit_;
};

}  // namespace

std::string LogLimit::cause_of(std::string_view text) {
  std::string cause;
  std::size_t words = 0;
  bool quoted = false;
  while (!text.empty() && words < kWords) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    const bool begins_quote = quoted || word.find('\'') != std::string_view::npos;
    const bool has_digit = std::any_of(word.begin(), word.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    quoted = quoted != (std::count(word.begin(), word.end(), '\'') % 2 == 1);
    cause += begins_quote || has_digit ? std::string_view("#") : word;
    cause += ' ';
    ++words;
  }
  return cause;
}

LogLimit::Verdict LogLimit::take(std::string_view text, Time now) {
  std::string name = cause_of(text);
  if (causes_.size() >= kCauses && !causes_.contains(name)) {
    name.clear();  // one more than can be distinguished
  }
  Cause& cause = causes_.try_emplace(std::move(name), Cause{.earned = now}).first->second;
  const double seconds = std::chrono::duration<double>(now - cause.earned).count();
  cause.allowance = std::min(kBurst, cause.allowance + seconds * kPerSecond);
  cause.earned = now;
  if (cause.allowance < 1) {
    ++cause.left_out;
    ++left_out_;
    return {};
  }
  cause.allowance -= 1;
  return {.passes = true, .left_out = std::exchange(cause.left_out, 0)};
}

void limit_log() {
  const auto logger = spdlog::default_logger();
  auto limited = std::make_shared<spdlog::logger>(
      logger->name(), std::make_shared<LimitSink>(std::vector<spdlog::sink_ptr>(logger->sinks())));
  limited->set_level(logger->level());
  limited->flush_on(logger->flush_level());
  spdlog::set_default_logger(std::move(limited));
}

}  // namespace hilgate
