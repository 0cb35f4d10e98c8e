// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "clock/time.h"
#include "gateway/configuration/configuration.h"
#include "gateway/record/record_reader.h"
#include "gateway/run/simulation/simulation.h"
#include "netsim_link/link_state.h"

namespace hilgate {

/// The link table of the window that begins at `at`, as a running gateway makes it, for path time `begins`. Instants do
/// not go backwards.
LinkTable table_of_models(const Configuration& configuration, const Simulation& simulation, SimTime at,
                          HostTime begins);

/// The link tables of a recorded run, one after the other. Records have them rounded; where the models of the
/// configuration say the same, theirs is taken, which is exact.
class ReplayedTables {
 public:
  /// Both must outlive it. Throws as RecordedAir, and std::runtime_error for a record of other robots.
  ReplayedTables(const Configuration& configuration, const Simulation& simulation, const std::filesystem::path& record);

  /// In path time, which is the record's time since 1970.
  [[nodiscard]] const LinkTable& table() const { return table_; }
  [[nodiscard]] const RecordedAir::Place& place() const { return air_.place(); }
  [[nodiscard]] std::optional<RecordedAir::Place> next() { return air_.next(); }
  void advance();

  [[nodiscard]] std::uint64_t tables() const { return tables_; }
  /// Of these, those that are rounded.
  [[nodiscard]] std::uint64_t rounded() const { return rounded_; }

 private:
  void take();

  const Configuration& configuration_;
  const Simulation& simulation_;
  RecordedAir air_;
  std::optional<Nanoseconds> start_;  // of simulated time, where that goes as the host's clock
  LinkTable table_;
  std::uint64_t tables_ = 0;
  std::uint64_t rounded_ = 0;
};

}  // namespace hilgate
