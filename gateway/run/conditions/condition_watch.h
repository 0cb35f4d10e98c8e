// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <functional>
#include <optional>
#include <string>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/conditions/found_conditions.h"
#include "gateway/run/conditions/load_meter.h"
#include "gateway/run/conditions/validated_ranges.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "host/control_clock.h"
#include "path/data_plane.h"

namespace hilgate {

/// What is observed. All of it outlives the watch and may be modified meanwhile.
struct WatchedRun {
  const Configuration& configuration;
  const Simulation& simulation;
  const Windows& windows;
  const DataPlane& plane;
  const TscClock& clock;
  std::function<std::optional<SiteRejoining>()> rejoining;  // of a gateway of a site
  std::function<std::optional<std::string>()> silence;      // likewise: no gateway publishes link states
  std::function<std::vector<StoppedOutput>()> stopped;
  std::function<void(std::vector<Condition>&)> find_dlep;  // of routers that learn no links
};

/// Looks for the conditions of a run once a second. Control thread.
class ConditionWatch {
 public:
  ConditionWatch(asio::io_context& context, const WatchedRun& run);

  void start();
  /// Observes conditions that begin and end.
  void tell(Conditions::News news) { conditions_.tell(std::move(news)); }
  /// The configuration is another.
  void changed();
  /// The simulation is another: windows have other numbers.
  void began_anew();
  /// Checks now, in addition to the periodic checks.
  void look();
  [[nodiscard]] const std::vector<Conditions::Standing>& standing() const { return conditions_.standing(); }

 private:
  void look_again();
  void find_step(HostTime now, std::vector<Condition>& found);
  void find_long_packets(const std::vector<PortReport>& ports, std::vector<Condition>& found) const;

  WatchedRun run_;
  ControlTimer timer_;
  std::vector<ExpectedCondition> expected_;
  ValidatedRanges ranges_;
  LoadMeter load_;
  PortConditions ports_;
  Conditions conditions_;
  std::uint64_t steps_ = 0;  // of the clock, that are known
  std::optional<Condition> stepped_;
  HostTime stepped_at_{};
};

}  // namespace hilgate
