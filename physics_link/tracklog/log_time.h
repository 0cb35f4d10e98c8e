// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clock/time.h"

namespace hilgate {

/// UTC since 1970 of a date of the proleptic Gregorian calendar. Empty unless year is in [1970, 2199] and month and day
/// exist.
std::optional<Nanoseconds> utc_of_day(int year, int month, int day);

/// An instant as XML Schema's dateTime: 2024-05-01T10:00:00.250+02:00. Without Z or an offset it counts as UTC. Digits
/// beyond nanoseconds are cut off. Empty for other text and years outside 1970 to 2199.
std::optional<Nanoseconds> utc_of_text(std::string_view text);

/// 2024-05-01T10:00:00.250Z, of an instant since 1970. What is below a millisecond is cut off.
std::string utc_text(Nanoseconds utc);

/// hhmmss.sss, as NMEA has times of day. Empty for other text.
std::optional<Nanoseconds> time_of_day(std::string_view text);

/// So many decimal digits at `at`, as a number. Empty where there are none or fewer.
std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count);

}  // namespace hilgate
