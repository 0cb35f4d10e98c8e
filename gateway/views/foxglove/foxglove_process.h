// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "gateway/configuration/output_config.h"
#include "gateway/status/model/peer_status.h"
#include "gateway/views/foxglove/foxglove_server.h"
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
  [[nodiscard]] FoxgloveStatus status() const;

 private:
  struct Unmap {
    void operator()(FoxgloveCounts* counts) const;
  };

  std::unique_ptr<FoxgloveCounts, Unmap> counts_;
  std::optional<CompanionProcess> process_;
};

}  // namespace hilgate
