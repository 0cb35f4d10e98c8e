// SPDX-License-Identifier: Apache-2.0
#include "gateway/run/simulation/link_tables.h"

#include <algorithm>
#include <chrono>

namespace hilgate {

LinkTable first_links(const Configuration& configuration) {
  const bool nobody_placed = std::holds_alternative<EmbeddedConfig>(configuration.netsim) && !configuration.physics;
  LinkTable table;
  table.links.resize(link_ends(configuration) * link_ends(configuration));
  for (LinkState& link : table.links) {
    link.reachable = !nobody_placed;
  }
  return table;
}

LinkTable links_at(SimTime at, const Simulation& simulation, std::size_t ends) {
  Scene scene;
  simulation.physics->scene_at(at, scene);
  LinkTable table;
  table.links.resize(ends * ends);
  table.at = at;
  simulation.netsim->link_states(scene, table);
  return table;
}

void make_sane(LinkTable& table, std::size_t modes) {
  table.each_heard([modes](LinkState& link) {
    link.unicast_mode = link.unicast_mode < modes ? link.unicast_mode : std::uint8_t{0};
    link.multicast_mode = link.multicast_mode < modes ? link.multicast_mode : std::uint8_t{0};
    const bool nonsense = !(link.unicast.per_bit >= 0) || !(link.multicast.per_bit >= 0);
    link.reachable = link.reachable && !nonsense;
    if (nonsense) {
      link.unicast = link.multicast = BitHazard{};
    }
    link.delay = std::clamp(link.delay, Nanoseconds{0}, Nanoseconds{std::chrono::hours(1)});
  });
}

}  // namespace hilgate
