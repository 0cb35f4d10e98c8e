// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/condition.h"
#include "path/data_plane.h"

namespace hilgate {

/// Ports that are not up or lose frames beside the packet path, and robots that are wired in the kernel. Control
/// thread.
class PortConditions {
 public:
  void find(const Configuration& configuration, const std::vector<PortReport>& ports, bool wired,
            std::vector<Condition>& found);

 private:
  void find_losses(const PortReport& port, std::vector<Condition>& found);

  struct Seen {
    bool up = false;
    std::uint64_t lost = 0;
  };
  std::map<std::string, Seen> seen_;  // at the last look, by port
};

}  // namespace hilgate
