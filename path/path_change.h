// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "path/cores/crossings.h"
#include "path/path_parts.h"

namespace hilgate {

/// What replaces parts of a running path, between two iterations; afterwards it holds the previous ones. As many ports
/// as before: their slots.
template <class Port>
struct PathChange {
  PathParts* parts = nullptr;              // null: only the ports change
  std::vector<Port*> ports{};              // by PortSlot; null: of another core, or free
  std::vector<CrossingRing*> crossings{};  // by PortSlot: Crossings::to_port
};

}  // namespace hilgate
