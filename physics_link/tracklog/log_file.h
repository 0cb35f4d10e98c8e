// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "physics_link/tracklog/track_log.h"

namespace hilgate {

/// The longest log that a configuration may name, and the longest that `hilgate track` reads, bytes.
inline constexpr std::size_t kMostOfConfiguredLog = std::size_t{64} << 20;
inline constexpr std::size_t kMostOfLog = std::size_t{1} << 30;

/// Whether it is a file of tracks as read_tracks_csv() reads it, by its header.
bool is_tracks_csv(std::string_view content);

/// Whether it is in a format that may have RADIO_STATUS: ULog, a telemetry log or DataFlash.
bool has_radio_status(std::string_view content);

/// Reads a log in the format that its content has. Throws ConfigError with the line or byte of each fault, and for
/// content in none of the formats.
TrackLog parse_log(std::string_view content, const std::string& file);

/// As parse_log() of the file's content. Throws ConfigError, too, for a file that cannot be read or is longer than
/// `most_bytes`.
TrackLog read_log(const std::string& file, std::size_t most_bytes = kMostOfLog);

}  // namespace hilgate
