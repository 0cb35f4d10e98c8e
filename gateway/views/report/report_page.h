// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/mcap/mcap_reader.h"

namespace hilgate {

/// What a report shows of a run. Times are seconds from the record's first message.
struct RunStory {
  using Series = std::vector<std::pair<double, double>>;

  struct Link {
    std::string name;  // "red>blue"
    std::uint64_t in = 0, released = 0, bytes = 0;
    std::map<std::string, std::uint64_t> dropped;  // by reason
    Series released_bytes;                         // since the start
    Series offered, delivered;                     // frames since the start
    Series snr_db, delay_us;                       // at most ten each second

    [[nodiscard]] std::uint64_t dropped_total() const;
  };
  struct Event {
    double at = 0;
    std::string what;  // level of a log line, or the kind of a change
    std::string text;
  };

  std::string record;       // as it was named
  nlohmann::json run;       // its /run
  double seconds = 0;       // of the record
  nlohmann::json totals;    // the last
  Series bytes_released;    // of the run, since the start
  std::vector<Link> links;  // with traffic, those with most first
  std::vector<Event> events;
  std::vector<std::pair<std::string, Series>> tracks;  // of robots: x and y in metres
  McapEnd end;

  /// Throws as read_record().
  static RunStory of(const std::filesystem::path& record);

  /// A member of its /run as text.
  [[nodiscard]] std::string said(const char* key) const;
  [[nodiscard]] std::uint64_t total(const char* key) const;
};

/// What a sum grows by, for each second, between its points; at most about `points` of them.
RunStory::Series rate_of(const RunStory::Series& sum, std::size_t points);

/// A self-contained HTML page about these runs; for several runs it begins with their comparison.
std::string report_page(const std::vector<RunStory>& runs);

}  // namespace hilgate
