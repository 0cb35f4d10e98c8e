// SPDX-License-Identifier: Apache-2.0
// The links of a run as its status has them. Of many robots most do not reach one another, and are left out.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frame/counters.h"
#include "gateway/status/status_report.h"

namespace hilgate {

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

}  // namespace hilgate
