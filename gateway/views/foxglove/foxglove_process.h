// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <set>
#include <string>

#include "gateway/configuration/output_config.h"
#include "host/companion/companion_process.h"

namespace hilgate {

/// serve_foxglove() in a process of its own without any rights but those of its user.
class FoxgloveProcess {
 public:
  /// Before this process has threads. The new one stays off `cpus`, those of packet loops. Throws std::runtime_error
  /// when it cannot listen.
  FoxgloveProcess(const FoxgloveConfig& config, const std::string& run, const std::string& control_socket,
                  const std::set<unsigned>& cpus);

  [[nodiscard]] CompanionProcess& process() { return *process_; }

 private:
  std::optional<CompanionProcess> process_;
};

}  // namespace hilgate
