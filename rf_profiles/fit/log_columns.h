// SPDX-License-Identifier: Apache-2.0
// Which columns of a file are a measurement.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hilgate {

/// What a column may be: seconds; metres; degrees; dBm; dB; whether the frame was received; any text that names a path.
enum class LogValue : std::uint8_t { kTime, kDistance, kX, kY, kZ, kLat, kLon, kLevel, kSnr, kReceived, kPath };
inline constexpr std::size_t kLogValues = 11;

/// The other end of the link: a fixed place in the coordinates of the log.
struct OtherEnd {
  double x = 0, y = 0;  // metres, or degrees of latitude and longitude
  std::optional<double> height_m{};
};

struct LogColumns {
  std::array<std::string, kLogValues> named{};  // by LogValue: a name of the header, or #N from 1; empty: none
  std::optional<OtherEnd> other_end{};          // needed with positions
  std::optional<double> no_level{};             // a level that stands for none

  [[nodiscard]] const std::string& of(LogValue value) const { return named[static_cast<std::size_t>(value)]; }
};

/// "time", "distance", "x", ...
std::string_view name_of(LogValue value);

/// `text` as in `time=t,x=pos_x,level=#11`. Throws std::invalid_argument for what is no value, twice there, or
/// contradicts itself.
LogColumns parse_log_columns(std::string_view text);

/// `text` as in `0,0,10`: two coordinates and, if known, the height above ground in metres. Throws
/// std::invalid_argument.
OtherEnd parse_other_end(std::string_view text);

}  // namespace hilgate
