// SPDX-License-Identifier: Apache-2.0
#include "host/log/log.h"

#include <fmt/format.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <syslog.h>
#include <systemd/sd-journal.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace hilgate {
namespace {

constexpr const char* kJournal = "journal";  // names of loggers
constexpr const char* kPlain = "plain";

thread_local const LogSubject* innermost_subject = nullptr;

int priority_of(spdlog::level::level_enum level) {
  switch (level) {
    case spdlog::level::trace:
    case spdlog::level::debug:
      return LOG_DEBUG;
    case spdlog::level::warn:
      return LOG_WARNING;
    case spdlog::level::err:
      return LOG_ERR;
    case spdlog::level::critical:
      return LOG_CRIT;
    default:
      return LOG_INFO;
  }
}

class JournalSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit JournalSink(std::string run) : run_(std::move(run)) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    const std::string_view text(message.payload.data(), message.payload.size());
    const int priority = priority_of(message.level);
    std::vector<std::string> fields = journal_fields(priority, text, run_);
    std::vector<iovec> parts;
    parts.reserve(fields.size());
    for (std::string& field : fields) {
      parts.push_back({.iov_base = field.data(), .iov_len = field.size()});
    }
    if (sd_journal_sendv(parts.data(), static_cast<int>(parts.size())) < 0) {
      fmt::print(stderr, "<{}>{}\n", priority, text);  // the stream takes lines with a priority, too
    }
  }
  void flush_() override {}

 private:
  std::string run_;
};

bool log_is_in_journal() {
  return spdlog::default_logger()->name() == kJournal;
}

}  // namespace

bool stderr_is_journal() {
  const char* stream = std::getenv("JOURNAL_STREAM");
  struct stat info {};
  return stream != nullptr && fstat(STDERR_FILENO, &info) == 0 &&
         stream == fmt::format("{}:{}", info.st_dev, info.st_ino);
}

void log_to_journal(const std::string& run) {
  if (!stderr_is_journal()) {
    return;
  }
  const auto before = spdlog::default_logger();
  auto logger = std::make_shared<spdlog::logger>(kJournal, std::make_shared<JournalSink>(run));
  logger->set_level(before->level());
  spdlog::set_default_logger(std::move(logger));
}

void log_plainly(const std::string& run) {
  log_to_journal(run);
  if (!log_is_in_journal()) {
    auto logger = std::make_shared<spdlog::logger>(kPlain, std::make_shared<spdlog::sinks::stderr_sink_mt>());
    logger->set_pattern("%v");
    spdlog::set_default_logger(std::move(logger));
  }
}

void log_readiness(std::string_view text) {
  if (log_is_in_journal()) {
    spdlog::info("{}", text);
  } else {
    fmt::print("{}\n", text);
    std::fflush(stdout);
  }
}

void log_failure(std::string_view text) {
  const bool has_entries = log_is_in_journal();
  const char* prefix = stderr_is_journal() ? "<3>" : "";
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (has_entries) {
      spdlog::error("{}", line);
    } else {
      fmt::print(stderr, "{}{}\n", prefix, line);
    }
  }
}

LogScope::LogScope(LogSubject subject) : subject_(std::move(subject)), outer_(innermost_subject) {
  innermost_subject = &subject_;
}

LogScope::~LogScope() {
  innermost_subject = outer_;
}

std::vector<std::string> journal_fields(int priority, std::string_view text, const std::string& run) {
  std::vector<std::string> fields{fmt::format("MESSAGE={}", text), fmt::format("PRIORITY={}", priority)};
  const auto add = [&fields](const char* name, const std::string& value) {
    if (!value.empty()) {
      fields.push_back(fmt::format("{}={}", name, value));
    }
  };
  add("HILGATE_RUN", run);
  if (innermost_subject != nullptr) {
    add("HILGATE_PORT", innermost_subject->port);
    add("HILGATE_ROBOT", innermost_subject->robot);
  }
  return fields;
}

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
