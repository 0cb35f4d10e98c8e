// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "netsim_link/netsim.h"
#include "physics_link/mavlink/vehicles.h"
#include "physics_link/obstacles.h"
#include "physics_link/physics.h"
#include "rf_profiles/propagation/material.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

/// What obstacles are made of, by the material numbers that they name.
std::vector<Material> materials_of(const Configuration& configuration);

/// The physics and netsim that a configuration names, and what stays fixed about its links.
struct Simulation {
  std::unique_ptr<Physics> physics;
  mavlink::Vehicles* vehicles = nullptr;  // the same, where robots say where they are; else null
  std::unique_ptr<Netsim> netsim;
  AirPlan air;                                     // the netsim's, with the rules of the configuration
  std::shared_ptr<const SurveyedFloors> floors{};  // that the embedded netsim computes by; null: none
};

/// Everything that stands between robots.
Obstacles obstacles_of(const Configuration& configuration);

/// A netsim's air, with the rules of a configuration.
AirPlan configured_air(const Configuration& configuration, const Netsim& own);

/// Applies a configuration's settings of the air to embedded radios, in addition to their profiles, from the next scene
/// on.
void change_air(const Configuration& configuration, const Simulation& simulation);

/// Distributes embedded radios over the configured number of threads, from here on; by default over the processors of
/// this process that have no packet loop, four at most. The threads have the caller's rights.
void share_link_work(const Configuration& configuration, const Simulation& simulation);

/// Throws ConfigError or std::runtime_error when a profile, material or track cannot be used.
Simulation make_simulation(const Configuration& configuration);

/// The same, for what only shows when the models are built: faults within profiles, radios that do not go together.
/// Throws ConfigError for all of them.
Simulation try_models(const Configuration& configuration);

/// Links before a netsim has published any: radios without a position receive nothing; cables carry at once.
LinkTable first_links(const Configuration& configuration);

/// The air at an instant by a simulation of our own, which advances to it; `ends`: link_ends().
LinkTable links_at(SimTime at, const Simulation& simulation, std::size_t ends);

/// An external simulator may send any values. Limits its table to modes below `modes`, hazards that are not negative
/// and delays in [0, 1 h]; a link whose hazard is not a number becomes unreachable.
void make_sane(LinkTable& table, std::size_t modes);

}  // namespace hilgate
