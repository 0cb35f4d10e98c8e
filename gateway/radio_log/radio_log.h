// SPDX-License-Identifier: Apache-2.0
// Measurements of a link from the logs of vehicles, of iperf3 and of hilgate's own runs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clock/time.h"
#include "physics_link/tracklog/track_log.h"
#include "rf_profiles/fit/log_columns.h"
#include "rf_profiles/fit/measured_row.h"

namespace hilgate {

/// Which of the values of a log is the level. "remote": as the radio at the other end reports it.
enum class RadioValue : std::uint8_t { kRssi, kSnr, kRemoteRssi, kRemoteSnr };

/// "rssi", "snr", "remrssi" or "remsnr". Throws std::invalid_argument for other text.
RadioValue parse_radio_value(std::string_view text);

/// A log and what its format leaves open. What a format has no use for is a fault.
struct RadioLogOptions {
  std::string log;                              // a file, or the folder of a run
  std::optional<LogColumns> columns{};          // a table, with these; absent: the format is known by the content
  std::optional<OtherEnd> station{};            // absent: the first position
  std::optional<double> no_level{};             // of tables: a level that stands for none
  std::optional<RadioValue> value{};            // absent: kRssi
  std::string track{};                          // empty: the only one
  std::string positions{};                      // of iperf3: a log that `hilgate track` reads
  std::optional<Nanoseconds> positions_zero{};  // UTC when the clock of `positions` is 0, since 1970
  std::string link{};                           // of runs: "red>blue"; empty: all
};

/// Rows of a table, a vehicle's log with RADIO_STATUS, iperf3's JSON, or a record. Throws ConfigError, and
/// std::runtime_error for records, with the file and what to do.
MeasuredLog read_radio_log(const RadioLogOptions& options);

// The formats of radio logs other than tables, each read by a file of its own; read_radio_log() chooses among them.

inline constexpr double kLowestAntenna = 0.1;  // m above the ground: path loss models have no lower ones

/// A row for each RADIO_STATUS of a log whose vehicle had a place then. Levels are those of SiK's scale
/// (physics_link/mavlink/messages.h); 0 and 255 are none. Throws ConfigError for a log without RADIO_STATUS, and as
/// StationTrack.
MeasuredLog vehicle_rows(const TrackLog& log, const RadioLogOptions& options);

/// Whether it is what `iperf3 -J` prints.
bool is_iperf_log(std::string_view content);

/// A row for each interval of `iperf3 -J` whose vehicle had a place then: the rate, and of UDP at the receiver what was
/// lost. There are no levels. `positions` has UTC, or its clock began at RadioLogOptions::positions_zero. Throws
/// ConfigError.
MeasuredLog iperf_rows(std::string_view content, const TrackLog& positions, const RadioLogOptions& options);

/// A row for each second and link of a record: distance, mean level of the link's states, and what the link has
/// released and lost by its radio. A path for each link. Throws as read_record(), and ConfigError for a record without
/// positions or radios and for a link that it has not.
MeasuredLog recorded_rows(const RadioLogOptions& options);

}  // namespace hilgate
