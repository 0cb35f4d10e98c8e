// SPDX-License-Identifier: Apache-2.0
// Why links are as they are, and whether all is well: computed here alone, for every view of a run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "clock/time.h"
#include "gateway/status/model/run_status.h"
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

/// Fills in what follows from the rest of a status: reasons of its links, and findings. `losses` are of
/// status.links, in their order, or empty; `of_all` is that of all links together, for runs whose links are not
/// measured.
void diagnose(RunStatus& status, std::span<const NamedWall> walls, std::span<const std::optional<double>> losses,
              std::optional<double> of_all);

}  // namespace hilgate
