// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace hilgate {

/// Talks to systemd when it started us (Type=notify), and has a file as long as the run is ready where somebody waits
/// for one.
class ServiceNotify {
 public:
  /// `file`: empty: no file. An existing file is removed. Throws std::system_error where it cannot be removed.
  explicit ServiceNotify(std::filesystem::path file);
  ~ServiceNotify();
  ServiceNotify(const ServiceNotify&) = delete;
  ServiceNotify& operator=(const ServiceNotify&) = delete;

  /// Throws std::system_error where the file cannot be written.
  void ready(const std::string& status);
  void stopping();
  /// To be called at least every watchdog_interval() while all is well.
  void alive(const std::string& status);
  /// Half the unit's WatchdogSec; empty without a watchdog.
  [[nodiscard]] std::optional<std::chrono::microseconds> watchdog_interval() const { return watchdog_; }

 private:
  std::optional<std::chrono::microseconds> watchdog_;
  std::filesystem::path file_;
};

}  // namespace hilgate
