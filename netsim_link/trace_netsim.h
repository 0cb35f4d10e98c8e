// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "netsim_link/wire_netsim.h"

namespace hilgate {

/// Links as they were measured; wires where nothing was. The packet path plays traces itself, at any instant: link
/// tables say nothing of them.
class TraceNetsim final : public WireNetsim {
 public:
  /// By LinkIndex, null for a wire: what has the link's trace.
  TraceNetsim(std::size_t robots, const std::vector<std::shared_ptr<const Impairments>>& links) : WireNetsim(robots) {
    for (std::size_t link = 0; link < links.size(); ++link) {
      plan().rules[link].impairments = links[link];
    }
  }
};

}  // namespace hilgate
