// SPDX-License-Identifier: Apache-2.0
#include "gateway/daemon/service_notify.h"

#include <systemd/sd-daemon.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>
#include <utility>

#include "host/plain_file.h"

namespace hilgate {

ServiceNotify::ServiceNotify(std::filesystem::path file) : file_(std::move(file)) {
  if (!file_.empty()) {
    std::filesystem::remove(file_);
  }
  std::uint64_t interval = 0;
  if (sd_watchdog_enabled(0, &interval) > 0) {
    watchdog_ = std::chrono::microseconds{interval / 2};
  }
}

ServiceNotify::~ServiceNotify() {
  std::error_code gone;
  if (!file_.empty()) {
    std::filesystem::remove(file_, gone);
  }
}

void ServiceNotify::ready(const std::string& status) {
  if (!file_.empty()) {
    replace_plain_file(file_, std::to_string(getpid()) + "\n");
  }
  sd_notify(0, ("READY=1\nSTATUS=" + status).c_str());
}

void ServiceNotify::stopping() {
  sd_notify(0, "STOPPING=1");
}

void ServiceNotify::alive(const std::string& status) {
  sd_notify(0, ("WATCHDOG=1\nSTATUS=" + status).c_str());
}

}  // namespace hilgate
