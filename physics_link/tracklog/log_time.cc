// SPDX-License-Identifier: Apache-2.0
#include "physics_link/tracklog/log_time.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>

#include "config/plain_text.h"
#include "physics_link/tracklog/track_log.h"

namespace hilgate {
namespace {

// The digits after a point at the beginning of `text`, as a part of a second; takes them away.
std::optional<Nanoseconds> take_fraction(std::string_view& text) {
  if (text.empty() || (text[0] != '.' && text[0] != ',')) {
    return Nanoseconds{0};
  }
  text.remove_prefix(1);
  std::int64_t part = 0;
  std::int64_t unit = 100'000'000;
  std::size_t digits = 0;
  for (; digits < text.size() && text[digits] >= '0' && text[digits] <= '9'; ++digits, unit /= 10) {
    part += (text[digits] - '0') * unit;
  }
  text.remove_prefix(digits);
  return digits > 0 ? std::optional(Nanoseconds{part}) : std::nullopt;
}

std::optional<Nanoseconds> clock_time(std::optional<int> hour, std::optional<int> minute, std::optional<int> second) {
  // A leap second is the second before it again.
  if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + std::chrono::seconds(*second == 60 ? 59 : *second);
}

// Z, +02:00, or nothing.
std::optional<Nanoseconds> zone_offset(std::string_view text) {
  if (text.empty() || text == "Z") {
    return Nanoseconds{0};
  }
  const auto hours = digits_at(text, 1, 2);
  const auto minutes = digits_at(text, 4, 2);
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || text[3] != ':' || !hours || !minutes || *hours > 14 ||
      *minutes > 59) {
    return std::nullopt;
  }
  const Nanoseconds offset = std::chrono::hours(*hours) + std::chrono::minutes(*minutes);
  return text[0] == '+' ? offset : -offset;
}

}  // namespace

std::optional<int> digits_at(std::string_view text, std::size_t at, std::size_t count) {
  if (at > text.size() || count > text.size() - at) {
    return std::nullopt;
  }
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') {
      return std::nullopt;
    }
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<Nanoseconds> utc_of_day(int year, int month, int day) {
  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (year < 1970 || year > 2199 || !date.ok()) {
    return std::nullopt;
  }
  return std::chrono::sys_days{date}.time_since_epoch();
}

std::optional<Nanoseconds> utc_of_text(std::string_view text) {
  text = trimmed(text, kLogBlanks);
  constexpr std::size_t kWhole = 19;  // 2024-05-01T10:00:00
  if (text.size() < kWhole || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' ') ||
      text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  const auto year = digits_at(text, 0, 4);
  const auto month = digits_at(text, 5, 2);
  const auto date = digits_at(text, 8, 2);
  const auto day = year && month && date ? utc_of_day(*year, *month, *date) : std::nullopt;
  const auto clock = clock_time(digits_at(text, 11, 2), digits_at(text, 14, 2), digits_at(text, 17, 2));
  std::string_view rest = text.substr(kWhole);
  const auto fraction = take_fraction(rest);
  const auto zone = zone_offset(rest);
  return day && clock && fraction && zone ? std::optional(*day + *clock + *fraction - *zone) : std::nullopt;
}

std::optional<Nanoseconds> time_of_day(std::string_view text) {
  constexpr std::size_t kWhole = 6;
  const auto clock = clock_time(digits_at(text, 0, 2), digits_at(text, 2, 2), digits_at(text, 4, 2));
  std::string_view rest = text.substr(std::min(kWhole, text.size()));
  const auto fraction = take_fraction(rest);
  return clock && fraction && rest.empty() ? std::optional(*clock + *fraction) : std::nullopt;
}

std::string utc_text(Nanoseconds utc) {
  const auto ms = std::chrono::floor<std::chrono::milliseconds>(utc).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(ms / 1000)), ms % 1000);
}

}  // namespace hilgate
