// SPDX-License-Identifier: Apache-2.0
// Parts of the status of a run: links, access points and meshes, windows, the site.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "frame/counters.h"
#include "gateway/configuration/configuration.h"
#include "gateway/run/simulation/windows.h"
#include "gateway/status/model/site_status.h"
#include "gateway/status/model/window_status.h"
#include "gateway/status/status_report.h"
#include "path/site_report.h"

namespace hilgate {

// Links. Of many robots most do not reach one another, and are left out.

/// Deliveries by the names of the reasons why they were dropped, without those that no delivery had.
NamedCounts drops_by_name(const std::array<std::uint64_t, kDropReasons>& dropped);

struct LinkList {
  std::vector<LinkStatus> links;
  std::vector<std::optional<double>> losses;  // LinkMeter::recent_loss() of each
  std::uint64_t left_out = 0;
};

/// Those of the robots that were asked for, all of them; else all, or of more than kMostLinks those that are in reach
/// or had deliveries, and of these kMostLinks at most.
LinkList links_of(const StatusInputs& in);
inline constexpr std::size_t kMostLinks = 4096;  // of 64 robots

/// A link in reach, or with deliveries.
struct ListedLink {
  RobotIndex from{};
  RobotIndex to{};
  std::uint64_t released = 0;
  double snr_db = 0;
};
/// Leaves those that carry most, then the strongest; by sender and receiver, where some had to go. Returns how many
/// went.
std::size_t keep_foremost(std::vector<ListedLink>& links, std::size_t most);

/// What media do about pairs too far apart; nothing of media that are small.
std::vector<FarPairsStatus> far_pairs_status(const std::vector<FarPairs>& media);

// What `hilgate status` shows of access points and their stations, and of meshes. Nothing without any.

/// Both require infrastructure mode.
std::vector<StationStatus> stations_status(const StatusInputs& inputs);
std::vector<AccessPointStatus> access_points_status(const StatusInputs& inputs);

/// Adds access points, and robots at them, to the list of media.
void add_access_points(const StatusInputs& inputs, std::vector<MediumStatus>& media);

/// Absent without a mesh.
std::optional<MeshesStatus> mesh_status(const StatusInputs& inputs);
/// For people: parts and relays; empty without a mesh.
std::string mesh_text(const StatusJson& status);
/// The table of stations for people; empty without any.
std::string stations_text(const StatusJson& status);

WindowStatus window_status(const Configuration& configuration, const Windows& windows);

/// Where a network simulator judges packet by packet.
VerdictStatus verdict_status(const Windows& windows, const PathTotals& totals);

/// What the status document has under `site`.
SiteStatus site_status(const SiteReport& report, const PathTotals& totals);

/// The same for people; empty without a site.
std::string site_text(const StatusJson& status);

}  // namespace hilgate
