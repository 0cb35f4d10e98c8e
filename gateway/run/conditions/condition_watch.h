// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <asio/io_context.hpp>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "clock/tsc_clock.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/conditions/found_conditions.h"
#include "gateway/run/simulation/simulation.h"
#include "gateway/run/simulation/windows.h"
#include "host/control_clock.h"
#include "path/data_plane.h"
#include "physics_link/scene.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// What a run's load was a moment ago: enough for shares over the last seconds.
struct LoadSample {
  HostTime at{};
  std::uint64_t windows = 0;
  std::uint64_t missed = 0;            // windows without a link table of their own
  std::uint64_t physics_late = 0;      // windows
  std::uint64_t network_late = 0;      // likewise
  std::uint64_t packets = 0;           // that the network simulator was to judge
  std::uint64_t unjudged = 0;          // of these, without a verdict in time
  std::vector<Nanoseconds> stalled{};  // by packet loop
};

/// Whether the host gives a run the processor time that it needs: windows that were missed, packet loops that stood
/// still; and whether the network simulator judges what it is asked about. Control thread.
class LoadMeter {
 public:
  static constexpr Nanoseconds kSpan{10'000'000'000};  // that shares are of
  static constexpr double kMissed = 0.05;              // share of windows from which on it is too much
  static constexpr double kStalled = 0.05;             // share of a packet loop's time
  // Share of the packets: some simulators send no verdict for packets lost on the air, but hardly all of them are lost.
  static constexpr double kUnjudged = 0.9;

  /// Call about once a second.
  void sample(LoadSample sample);
  /// Over the last 10 s, or since the start.
  void find(const Configuration& configuration, const WindowReport& report, std::vector<Condition>& found) const;
  /// Likewise, of a network simulator that answers.
  void find_unjudged(const Configuration& configuration, const WindowEngine& engine,
                     std::vector<Condition>& found) const;

 private:
  std::deque<LoadSample> samples_;
};

LoadSample sample_load(const Windows& windows, const DataPlane& plane, HostTime now);

/// Links that are shorter or longer than the distances at which the path loss of their profiles was compared
/// (docs/validation). Horizontal distances; links within one medium, of the embedded network simulator. Control thread.
class ValidatedRanges {
 public:
  /// Throws what reading radio profiles throws.
  explicit ValidatedRanges(const Configuration& configuration);

  /// One condition, `outside_validation`, about all of them.
  void find(const Scene& scene, std::vector<Condition>& found) const;

 private:
  struct Radio {
    std::string robot;
    std::string profile;
    Validation validation;
  };
  /// Squares of the distances, and for whom they hold.
  struct Range {
    std::size_t domain = 0;  // a number for each; 0: no profile
    double least_m2 = 0;
    double most_m2 = std::numeric_limits<double>::infinity();
  };
  [[nodiscard]] std::string text_of(std::size_t one, std::size_t other, const Scene& scene) const;

  std::vector<std::optional<Radio>> radios_;  // by robot; none without a profile
  std::vector<Range> ranges_;                 // likewise
};

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
