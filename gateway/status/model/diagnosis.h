// SPDX-License-Identifier: Apache-2.0
// Why links are as they are, and whether all is well: computed here alone, for every view of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/time.h"
#include "gateway/status/model/run_status.h"
#include "physics_link/buildings.h"
#include "physics_link/geo/geo_scene.h"
#include "physics_link/height_grid.h"
#include "physics_link/ray_box.h"

namespace hilgate {

/// The share of deliveries that are dropped, of the shortest last time in which enough had an end.
class RecentLoss {
 public:
  /// Counts since the start, at increasing times; counts that fall begin anew.
  void count(std::uint64_t released, std::uint64_t dropped, Nanoseconds at);
  /// From 0 to 1; absent when next to nothing was sent in the last ten seconds.
  [[nodiscard]] std::optional<double> value() const { return value_; }

 private:
  std::uint64_t released_ = 0, dropped_ = 0;  // at since_
  std::optional<Nanoseconds> since_;
  std::optional<double> value_;
};

/// An obstacle, as sentences name it.
struct NamedWall {
  std::string name, material;
  Box box;
};

/// All that may stand between two ends, as far as a configuration names it.
struct NamedObstacles {
  std::vector<NamedWall> boxes{};
  std::shared_ptr<const GeoScene> place{};       // null without buildings
  std::shared_ptr<const Buildings> buildings{};  // those of the place, prism by prism
  std::shared_ptr<const HeightGrid> ground{};    // null without terrain

  /// In sentences: "house (brick)", "building way 42", "the ground". Boxes first, then buildings, as far as the line is
  /// followed (Buildings::kMostLossDb).
  [[nodiscard]] std::vector<std::string> between(const Segment& line) const;
};

/// Fills in what follows from the rest of a status: reasons of its links, and findings. `losses` are of
/// status.links, in their order, or empty; `of_all` is that of all links together, for runs whose links are not
/// measured.
void diagnose(RunStatus& status, const NamedObstacles& obstacles, std::span<const std::optional<double>> losses,
              std::optional<double> of_all);

}  // namespace hilgate
