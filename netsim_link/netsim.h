// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "netsim_link/air_plan.h"
#include "netsim_link/link_state.h"
#include "physics_link/scene.h"

namespace hilgate {

/// Where pairs of radios too far apart to hear one another are left out: their links are silent, and cost nothing.
enum class FarPairRule : std::uint8_t {
  kWhereMany,  // in media of kManyRadios at least
  kNever,
  kAlways,  // wherever the models allow it
};

inline constexpr std::size_t kManyRadios = 128;

/// What became of them in one medium.
struct FarPairs {
  std::string domain;
  std::size_t radios = 0;
  unsigned threads = 1;            // that work on it
  std::string computed_because{};  // why all pairs are computed; empty: far ones are left out
  // Of the last window:
  double reach_m = 0;         // farther pairs were left out; infinite: none was
  std::uint64_t visited = 0;  // pairs that were looked at: neither too far nor known to be silent for some way yet
  std::uint64_t heard = 0;    // of these, those whose links were computed; all others are silent
};

/// Computes link states from scenes. Called on the control thread only.
class Netsim {
 public:
  virtual ~Netsim() = default;
  Netsim() = default;
  Netsim(const Netsim&) = delete;
  Netsim& operator=(const Netsim&) = delete;

  /// Writes the state of every link for the window that starts at `scene.at` into `table.links`,
  /// which has robots^2 entries, and sets `table.sparse` when it is sparse. Must not depend on how often it is called
  /// between two scenes.
  virtual void link_states(const Scene& scene, LinkTable& table) = 0;
  /// False when two scenes that differ in their time alone have the same link states.
  [[nodiscard]] virtual bool changes_with_time() const { return true; }

  /// What stays fixed about its links: media, modes and rules.
  [[nodiscard]] virtual const AirPlan& air_plan() const = 0;

  /// Pairs of robots so far, each counted in every window, that had an end outside a surveyed map and so were in free
  /// space.
  [[nodiscard]] virtual std::uint64_t outside_map() const { return 0; }

  /// What it does about pairs too far apart to hear one another, for each medium; nothing where it knows no distances.
  [[nodiscard]] virtual std::vector<FarPairs> far_pairs() const { return {}; }

  /// Robots whose antennas are directional, and of which physics did not say how they are turned: they count as
  /// isotropic.
  [[nodiscard]] virtual std::vector<RobotIndex> unoriented() const { return {}; }
};

}  // namespace hilgate
