// SPDX-License-Identifier: Apache-2.0
// Instants as measured files write them: numbers and dates, read digit by digit. A double has fewer digits than a clock
// that counts from 1970 in nanoseconds.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "clock/time.h"

namespace hilgate {

/// Seconds since any origin, to 1e-18 s. Digits beyond are cut off.
struct TraceInstant {
  std::int64_t seconds = 0;
  std::int64_t attoseconds = 0;  // [0, 1e18)

  friend auto operator<=>(const TraceInstant&, const TraceInstant&) = default;
};

/// From the nanosecond of `from` to that of `to`, each rounded down: instants in two nanoseconds stay apart, and no
/// difference is negative where `to` is not earlier. Requires less than 292 years between them.
Nanoseconds between(const TraceInstant& from, const TraceInstant& to);

/// `text`, a decimal number with or without an exponent, in units of 10^`exponent` s. Nothing for other text and beyond
/// 4e18 s.
std::optional<TraceInstant> instant_of_number(std::string_view text, int exponent);

/// A date with its time zone.
struct TraceDate {
  TraceInstant at;     // since 1970-01-01 00:00 in its zone; where that is an offset, in UTC
  std::string zone{};  // "UTC" for offsets, else the text's own zone; may be empty
};

/// 2019.12.14_12.00.01, 2024-05-01T10:00:00.250+02:00, 2024/05/01 10:00:00 PM CET: year, month, day, hour, minute and
/// second with a mark between them, a fraction, AM or PM, an offset from UTC or the name of a zone. Nothing for other
/// text.
std::optional<TraceDate> date_of(std::string_view text);

}  // namespace hilgate
