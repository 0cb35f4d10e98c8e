// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/service_notify.h"

#include <systemd/sd-daemon.h>

#include <cstdint>

namespace hilgate {

ServiceNotify::ServiceNotify() {
  std::uint64_t interval = 0;
  if (sd_watchdog_enabled(0, &interval) > 0) {
    watchdog_ = std::chrono::microseconds{interval / 2};
  }
}

void ServiceNotify::ready(const std::string& status) {
  sd_notify(0, ("READY=1\nSTATUS=" + status).c_str());
}

void ServiceNotify::stopping() {
  sd_notify(0, "STOPPING=1");
}

void ServiceNotify::alive(const std::string& status) {
  sd_notify(0, ("WATCHDOG=1\nSTATUS=" + status).c_str());
}

}  // namespace hilgate
