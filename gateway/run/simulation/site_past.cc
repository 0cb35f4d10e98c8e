// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/site_past.h"

#include "netsim_link/link_state.h"
#include "physics_link/scene.h"

namespace hilgate {

std::optional<RunBegin> compute_past(const SitePast& past, Simulation& simulation) {
  RunBegin begin{.site_zero = past.zero};
  if (past.is_told) {
    begin.window = static_cast<std::uint64_t>((past.until() - past.zero) / past.window) + 1;
    begin.at += past.window * static_cast<std::int64_t>(begin.window);
    return begin;
  }
  Scene scene;
  LinkTable table;
  table.links.resize(past.ends * past.ends);
  for (;;) {
    const SimTime until{past.until() - past.zero};
    if (begin.at >= until) {
      return begin;
    }
    if (!past.goes_on(begin.window, begin.window + static_cast<std::uint64_t>((until - begin.at) / past.window) + 1)) {
      return std::nullopt;
    }
    simulation.physics->scene_at(begin.at, scene);
    table.at = begin.at;
    simulation.netsim->link_states(scene, table);
    begin.at += past.window;
    ++begin.window;
  }
}

}  // namespace hilgate
