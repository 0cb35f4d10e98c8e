// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/simulation.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// Links before a netsim has said any: radios whose robots nobody has placed hear nothing; cables carry at once.
LinkTable first_links(const Configuration& configuration);

/// The air at an instant by a simulation of our own, which goes on to it; `ends`: link_ends().
LinkTable links_at(SimTime at, const Simulation& simulation, std::size_t ends);

/// An external simulator may say anything. Makes of its table one whose modes are below `modes`, whose hazards are no
/// negative numbers and whose delays are in [0, 1 h]; a link with a hazard that is none becomes unreachable.
void make_sane(LinkTable& table, std::size_t modes);

}  // namespace hilgate
