// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "clock/time.h"
#include "gateway/configuration/output_config.h"

namespace hilgate {

/// What the server knows of the run.
struct FoxgloveRun {
  std::string name;
  std::function<nlohmann::ordered_json()> status;  // may wait; throws std::exception. Called on a thread of its own
  std::function<Nanoseconds()> utc_now;            // since 1970; any thread
};

/// Serves a run to Foxglove by its websocket protocol (subprotocol foxglove.websocket.v1) until SIGINT or SIGTERM. A
/// thread asks for the status as often as configured, and less often when the answer takes long; without clients never.
/// A client that takes nothing loses messages, which are counted: neither the gateway nor other clients wait for it.
/// `listening`: a TCP socket, which becomes the server's.
void serve_foxglove(const FoxgloveConfig& config, const FoxgloveRun& run, int listening);

}  // namespace hilgate
