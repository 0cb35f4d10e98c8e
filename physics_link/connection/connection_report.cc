// SPDX-License-Identifier: Apache-2.0
#include "physics_link/connection/connection_report.h"

#include <spdlog/spdlog.h>

namespace hilgate {

void log_connection(const ConnectionEvent& event) {
  const bool good = event.kind == LinkEventKind::kWaiting || event.kind == LinkEventKind::kConnected;
  spdlog::log(good ? spdlog::level::info : spdlog::level::warn, "{}", event.text);
}

}  // namespace hilgate
