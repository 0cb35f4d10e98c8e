// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/conditions/conditions.h"
#include "gateway/run/simulation/windows.h"
#include "path/data_plane.h"

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

}  // namespace hilgate
