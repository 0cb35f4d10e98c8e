// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
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

/// What the server counts, in memory that its process shares with the gateway's.
struct FoxgloveCounts {
  std::atomic<std::uint64_t> clients{0};   // at present
  std::atomic<std::uint64_t> left_out{0};  // messages
};

/// Serves a run to Foxglove by its websocket protocol (subprotocol foxglove.websocket.v1) until SIGINT or SIGTERM. A
/// thread asks for the status as often as configured, and less often when the answer takes long; without clients never.
/// A client that takes nothing loses messages, which are counted: neither the gateway nor other clients wait for it.
/// `listening`: a TCP socket, which becomes the server's.
void serve_foxglove(const FoxgloveConfig& config, const FoxgloveRun& run, int listening, FoxgloveCounts& counts);

}  // namespace hilgate
