// SPDX-License-Identifier: Apache-2.0
// A run as its status documents say together: what it is now, and what has happened in the last seconds.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace hilgate {

/// Drops by reason.
using DropCounts = std::map<std::string, std::uint64_t>;

std::uint64_t total_of(const DropCounts& drops);

/// What a status document counts of a link since the start.
struct CountedLink {
  std::string from, to;
  std::uint64_t in = 0, released = 0, bytes_released = 0, failed_tries = 0, damaged = 0, duplicated = 0;
  DropCounts dropped;
};

struct SeenLink {
  CountedLink counts;
  bool reachable = false;
  bool line_of_sight = false;
  bool decodable = false;                                  // full frames
  std::vector<std::string> reasons;                        // why it is as it is; empty: nothing is wrong with it
  bool busy = false;                                       // somebody has sent in the last ten seconds
  double rssi_dbm = 0, snr_db = 0, frame_loss = 0;         // on the air, of one try of a full frame
  double rate_mbps = 0, delay_us = 0, effective_loss = 0;  // of the air and of what is configured together
  std::optional<double> configured_delay_us, configured_rate_mbps, configured_loss;
  std::optional<double> measured_delay_us;  // mean of the last second
  std::uint64_t queue = 0, waiting = 0;     // for the link's rate; anywhere
  double loss = 0;                // of the last second, or longer where little was sent; else what one try would lose
  std::optional<double> goodput;  // of the last second, bit/s
  std::optional<double> tries;    // that failed, for each frame of the last second
  std::uint64_t arrived = 0;      // of the last ten seconds, as what follows
  std::uint64_t decided = 0;
  DropCounts drops;

  [[nodiscard]] bool heard_only() const { return reachable && !decodable; }
  /// Without a radio, no signal has a power.
  [[nodiscard]] bool has_radio() const { return rssi_dbm != 0; }
};

struct SeenRun {
  std::shared_ptr<const nlohmann::ordered_json> status;  // the newest document; null before the first
  nlohmann::ordered_json world;                          // obstacles and materials; null as long as nobody has said it
  std::vector<SeenLink> links;
  double in_per_s = 0, out_per_s = 0;
  std::uint64_t out = 0, lost = 0;  // of the last second
  std::string problem;              // why no newer document comes; empty while they do
  double problem_s = 0;             // since when
};

/// A part of a document that another version of the gateway may not have: an empty object then.
const nlohmann::ordered_json& part_of(const nlohmann::ordered_json& document, const char* key);

}  // namespace hilgate
