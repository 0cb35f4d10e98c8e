// SPDX-License-Identifier: Apache-2.0
// A measured link as in its file: conditions over time, or opportunities to send.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clock/time.h"

namespace hilgate {

/// Faster than any frame notices. What a trace calls unlimited is that.
inline constexpr double kUnlimitedRate = 1e12;  // bit/s

enum class TraceFormat : std::uint8_t { kTheaterQ, kMahimahi, kNetemTrace, kPensieve, kCsv };

/// What holds from `at` on, until the next entry.
struct TraceEntry {
  Nanoseconds at{0};                        // since the beginning of the trace; not before the entry in front
  double bits_per_second = kUnlimitedRate;  // [0, kUnlimitedRate]
  Nanoseconds delay{0};                     // [0, 1h]
  Nanoseconds jitter{0};                    // standard deviation of the delay, [0, 1h]
  double loss = 0;                          // [0, 1]
  double sinr_db = 0;                       // at the receiver, [-100, 100]
  std::uint8_t cqi = 0;                     // [0, 15], instead of an SINR; 0: out of range
  std::uint32_t queue = 0;                  // that may wait for the rate, in frames or bytes; 0: not in the trace
  double duplicate = 0;                     // [0, 1]
  Nanoseconds duplicate_after{0};           // [0, 1h]
};

/// One direction of a link over time. Either entries, or delivery opportunities: instants at each of which
/// kOpportunityBytes may be sent.
struct Trace {
  std::string file;
  TraceFormat format = TraceFormat::kTheaterQ;
  std::vector<TraceEntry> entries;
  std::vector<Nanoseconds> opportunities;  // not falling
  Nanoseconds length{0};                   // above 0
  bool has_rate = false;                   // what the entries speak of
  bool has_delay = false;
  bool has_loss = false;
  bool has_sinr = false;  // with one of these two it drives the modes of a radio, and has no rate
  bool has_cqi = false;
  std::vector<std::string> columns{};  // of a CSV file, those that are read, as its header has them
  std::size_t gaps = 0;                // rows that have a value of the row in front (CsvColumns::fill_gaps)
  std::vector<std::string> notes;      // for people, a line each: where it was cut off, what is not played
};

/// Mahimahi's unit: an IP packet of 1500 bytes and the 4 bytes that a TUN device puts in front of it.
inline constexpr std::uint32_t kOpportunityBytes = 1504;

/// No trace has more entries, and none is longer.
inline constexpr std::size_t kMostTraceEntries = 4'000'000;
inline constexpr Nanoseconds kLongestTrace = std::chrono::hours{24 * 366};

/// As `--format` and the configuration name it.
const char* name_of(TraceFormat format);

}  // namespace hilgate
