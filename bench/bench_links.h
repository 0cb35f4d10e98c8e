// SPDX-License-Identifier: Apache-2.0
// hilgate bench links: what an update of all link states costs, and what ns-3 takes for the like of it in the same run.
// All pairs of robots on the move: path loss, shadowing, fading, choice of rate, errors. Once in the open, every fifth
// pair behind a wall; once on a surveyed floor, with the databases of walls and multipath. Pairs too far apart to
// receive one another are left out as in a run; the report has their number, or the reason when none was left out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "clock/time.h"
#include "netsim_link/netsim.h"
#include "physics_link/scene.h"
#include "rf_profiles/survey/surveyed_floors.h"

namespace hilgate {

struct BenchLinksOptions {
  std::uint32_t robots = 64;
  Nanoseconds duration{1'000'000'000};  // of the measuring of our own side
  std::string profile = "wifi_11n_2g4_adhoc";
  std::string map = {};            // with its survey next to it; empty: a floor of rooms, surveyed first
  std::uint32_t floor_cells = 48;  // along a side of that floor
  double spread_m = 1000;          // side of the field in the open
  Nanoseconds window{1'000'000};   // from one update to the next, in the open
  bool all_pairs = false;          // far ones too
  std::uint32_t gateways = 1;      // of a site; the links of the robots of one of them are updated
  unsigned threads = 1;            // with several, times are those of the clock on the wall
  bool json = false;
};

struct LinksTime {
  // Of the updates from the fourth on, their processor time, or their time where threads share them.
  double ms_per_update = 0;  // median
  double p99_ms = 0;
  double ns_per_link = 0;
  std::uint64_t updates = 0;
  double heard_per_robot = 0;  // links in reach at the end
  FarPairs far;                // of the last update
};

struct BenchLinksResult {
  LinksTime open;
  LinksTime surveyed;
  std::optional<double> ns3_ns_per_link;  // empty: see ns3_reason
  std::string ns3_reason;
  [[nodiscard]] std::optional<double> ratio(const LinksTime& ours) const;  // ns-3's time over it
};

/// The program that times ns-3, GPL-2 and so apart: next to this one, or on PATH.
inline constexpr const char* kNs3LinksBench = "ns3_links_bench";

/// Looks for profiles in `folders`. Throws std::runtime_error when there is no such profile, or no survey of the map.
BenchLinksResult bench_links(const BenchLinksOptions& options, std::span<const std::string> folders);

/// Runs it and prints lines for people or, with `json`, one object with the keys ms_per_update, p99_ms, ns_per_link,
/// ns3_ns_per_link and ratio (null with `ns3_reason` when ns-3 was not timed), threads, robots, links, updates,
/// heard_per_robot, `far_pairs` with reach_m, visited and heard pairs or all_computed_because, and `surveyed` with
/// ms_per_update, p99_ms, ns_per_link, ratio and updates on the surveyed floor. Returns 0.
int bench_links_command(const BenchLinksOptions& options, std::span<const std::string> folders);

// Robots on the move for `hilgate bench links`, in the open and on a surveyed floor.

/// A rectangle on the ground, m.
struct BenchField {
  double x_m = 0;
  double y_m = 0;
  double width_m = 1000;
  double height_m = 1000;
};

/// Robots all over a field, each on a straight way of its own at 5 m/s until the edge turns it back.
class BenchFleet {
 public:
  /// `walled`: every fifth pair is out of sight, behind one wall of the material 0.
  BenchFleet(std::size_t robots, const BenchField& field, bool walled, Nanoseconds window = Nanoseconds{1'000'000});

  /// The scene one window later.
  const Scene& step();

 private:
  BenchField field_;
  Nanoseconds window_;
  std::vector<Vec3> steps_;  // per window
  Scene scene_;
};

/// A surveyed floor of rooms with doors, `cells` of 0.5 m along a side, made anew; its file is gone at once.
std::shared_ptr<const Survey> survey_of_rooms(std::uint32_t cells);

/// Where the map lies.
BenchField field_of(const GridMap& map);

}  // namespace hilgate
