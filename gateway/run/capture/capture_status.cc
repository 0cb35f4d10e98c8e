// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "gateway/run/capture/captures.h"

namespace hilgate {

nlohmann::ordered_json Captures::status() const {
  if (session_ == 0) {
    return nullptr;
  }
  nlohmann::ordered_json json{{"going_on", counts_.captures.load(std::memory_order_relaxed)},
                              {"captured", counts_.captured.load(std::memory_order_relaxed)},
                              {"missed", counts_.missed.load(std::memory_order_relaxed)}};
  if (record_) {
    const std::scoped_lock lock(record_->mutex);
    json["file"] = record_->file;
    json["bytes"] = record_->bytes;
    if (!record_->problem.empty()) {
      json["problem"] = record_->problem;
    }
  }
  return json;
}

}  // namespace hilgate
