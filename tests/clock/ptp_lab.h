// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/support/netns.h"
#include "tests/support/process.h"

namespace hilgate::test {

/// Writes FOLDER/NAME.conf for ptp4l on one interface, with the socket FOLDER/NAME.uds, and gives the command that runs
/// it without CAP_SYS_TIME: it cannot touch the machine's clock.
std::vector<std::string> ptp4l_command(const std::filesystem::path& folder, const std::string& name,
                                       const std::string& interface, const std::string& options);

/// Two network namespaces joined by a veth pair: `va` in the first, `vb` in the second, with IPv4 and IPv6 addresses.
class PtpLab {
 public:
  PtpLab();
  ~PtpLab();
  PtpLab(const PtpLab&) = delete;
  PtpLab& operator=(const PtpLab&) = delete;

  enum class Side { kA, kB };
  [[nodiscard]] const NetNs& side(Side side) const { return side == Side::kA ? a_ : b_; }
  /// For configuration and sockets.
  [[nodiscard]] const std::filesystem::path& directory() const { return directory_; }

  /// Starts ptp4l on this side's interface; `file` names its configuration and socket ("master" gives
  /// directory()/master.uds).
  [[nodiscard]] std::unique_ptr<Process> start_ptp4l(Side side, const std::string& file,
                                                     const std::string& options) const;

  [[nodiscard]] std::filesystem::path socket(const std::string& file) const { return directory_ / (file + ".uds"); }

 private:
  NetNs a_{"ptp"};
  NetNs b_{"ptp"};
  std::filesystem::path directory_;
};

/// Calls `step` every `pause` until it says true; false when `limit` has passed first.
bool wait_until(std::chrono::milliseconds limit, const std::function<bool()>& step,
                std::chrono::milliseconds pause = std::chrono::milliseconds{20});

// The usual options of ptp4l; the transport is UDPv4, E2E, 8 Sync per second.
std::string master_options();
std::string slave_options();
std::string measuring_options();  // a slave that steers nothing: free_running 1

}  // namespace hilgate::test
