// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "gateway/run/recorder/recorder.h"

namespace hilgate {

nlohmann::ordered_json Recorder::status() const {
  if (!state_) {
    return nullptr;
  }
  nlohmann::ordered_json json{{"folder", folder_.string()},
                              {"bytes", state_->bytes.load(std::memory_order_relaxed)},
                              {"tables", state_->tables.load(std::memory_order_relaxed)},
                              {"missed", state_->missed.load(std::memory_order_relaxed)}};
  const std::scoped_lock lock(state_->mutex);
  if (!state_->problem.empty()) {
    json["problem"] = state_->problem;
  }
  return json;
}

}  // namespace hilgate
