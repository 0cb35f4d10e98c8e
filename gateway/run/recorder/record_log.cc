// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/recorder/record_log.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/log/journal.h"

namespace hilgate {

void RecordLog::end() {
  const std::scoped_lock lock(mutex_);
  take_ = nullptr;
}

void RecordLog::sink_it_(const spdlog::details::log_msg& message) {
  const std::string_view text(message.payload.data(), message.payload.size());
  if (!take_ || (message.level < spdlog::level::err && !limit_.take(text, LogLimit::Time::clock::now()).passes)) {
    return;
  }
  const auto level = spdlog::level::to_string_view(message.level);
  nlohmann::ordered_json json{{"level", std::string_view(level.data(), level.size())}, {"text", text}};
  for (const std::string& field : journal_fields(0, "", "")) {
    for (const auto& [name, key] : {std::pair{"HILGATE_PORT=", "port"}, std::pair{"HILGATE_ROBOT=", "robot"}}) {
      if (field.starts_with(name)) {
        json[key] = field.substr(std::string_view(name).size());
      }
    }
  }
  take_(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

}  // namespace hilgate
