// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/simulation.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Links before a netsim has published any: radios without a position receive nothing; cables carry at once.
LinkTable first_links(const Configuration& configuration);

/// The air at an instant by a simulation of our own, which advances to it; `ends`: link_ends().
LinkTable links_at(SimTime at, const Simulation& simulation, std::size_t ends);

/// An external simulator may send any values. Limits its table to modes below `modes`, hazards that are not negative
/// and delays in [0, 1 h]; a link whose hazard is not a number becomes unreachable.
void make_sane(LinkTable& table, std::size_t modes);

}  // namespace hilgate
