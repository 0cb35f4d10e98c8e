// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sched.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "host/file_descriptor.h"
#include "tests/clock/child_process.h"

namespace hilgate::testing {

/// Two network namespaces joined by a veth pair: `va` in the first, `vb` in the second, with IPv4 and IPv6 addresses.
/// Nothing in it can touch the machine's clock: programs run without CAP_SYS_TIME.
class PtpLab {
 public:
  PtpLab();
  ~PtpLab();
  PtpLab(const PtpLab&) = delete;
  PtpLab& operator=(const PtpLab&) = delete;

  enum class Side { kA, kB };
  [[nodiscard]] std::string name(Side side) const;
  /// For logs, configuration and sockets.
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// Starts ptp4l on this side's interface; `file` names its configuration, log and socket ("master" gives
  /// directory()/master.uds).
  std::unique_ptr<ChildProcess> start_ptp4l(Side side, const std::string& file, const std::string& options) const;
  std::unique_ptr<ChildProcess> start(Side side, std::vector<std::string> command, const std::string& log) const;

  [[nodiscard]] std::filesystem::path socket(const std::string& file) const { return directory_ / (file + ".uds"); }
  [[nodiscard]] std::string log(const std::string& file) const;

 private:
  std::string prefix_;
  std::filesystem::path directory_;
};

/// While it lives, sockets of this thread are made in the named network namespace.
class InNamespace {
 public:
  explicit InNamespace(const std::string& name);
  ~InNamespace();
  InNamespace(const InNamespace&) = delete;
  InNamespace& operator=(const InNamespace&) = delete;

 private:
  FileDescriptor home_;
};

/// Calls `step` every `pause` until it says true; false when `limit` has passed first.
bool wait_until(std::chrono::milliseconds limit, const std::function<bool()>& step,
                std::chrono::milliseconds pause = std::chrono::milliseconds{20});

// The usual options of ptp4l; the transport is UDPv4, E2E, 8 Sync per second.
std::string master_options();
std::string slave_options();
std::string measuring_options();  // a slave that steers nothing: free_running 1

}  // namespace hilgate::testing
