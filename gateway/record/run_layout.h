// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hilgate {

/// What the numbers in a record's messages mean until the next layout.
struct RunLayout {
  struct Mode {
    double rate_mbps = 0;
    std::uint64_t frame_bits = 1;  // on the air, of a frame of 1514 bytes
  };
  std::vector<std::string> ends;     // robots, then access points: all that have a number in link tables
  std::size_t robots = 0;            // of these
  std::vector<Mode> modes;           // that link states name
  std::vector<std::string> reasons;  // drops, by number

  [[nodiscard]] nlohmann::ordered_json json() const;
  /// Throws nlohmann::json::exception for an invalid text.
  static RunLayout of(const nlohmann::json& json);

  /// "red>blue"; "?" for a number that is no link.
  [[nodiscard]] std::string link_name(std::size_t link) const;
};

/// Topics of a record. docs/how-to/records.md lists the contents of each.
inline constexpr const char* kRunTopic = "/run";
inline constexpr const char* kLayoutTopic = "/layout";
inline constexpr const char* kLinksTopic = "/links";
inline constexpr const char* kCountsTopic = "/counts";
inline constexpr const char* kVerdictsTopic = "/verdicts";
inline constexpr const char* kTotalsTopic = "/totals";
inline constexpr const char* kPositionsTopic = "/positions";
inline constexpr const char* kClockTopic = "/clock";
inline constexpr const char* kChangesTopic = "/changes";
inline constexpr const char* kLogTopic = "/log";
inline constexpr const char* kMissedTopic = "/missed";
inline constexpr const char* kEndTopic = "/end";

/// Encoding of the topics that are not in JSON. Records whose link tables are in arithmetic code have "hilgate".
inline constexpr const char* kVarintEncoding = "varint";

/// The file of a record in its folder.
inline constexpr const char* kRecordFile = "run.mcap";

}  // namespace hilgate
