// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace hilgate {

/// Talks to systemd when it started us (Type=notify); does nothing otherwise.
class ServiceNotify {
 public:
  ServiceNotify();
  void ready(const std::string& status);
  void stopping();
  /// To be called at least every watchdog_interval() while all is well.
  void alive(const std::string& status);
  /// Half the unit's WatchdogSec; empty without a watchdog.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval() const { return watchdog_; }

 private:
  std::optional<std::chrono::microseconds> watchdog_;
};

}  // namespace hilgate
