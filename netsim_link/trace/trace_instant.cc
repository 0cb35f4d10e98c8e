// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_instant.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <chrono>
#include <limits>

namespace hilgate {
namespace {

constexpr int kAttoDigits = 18;
constexpr std::int64_t kAtto = 1'000'000'000'000'000'000;
constexpr std::int64_t kAttoPerNano = 1'000'000'000;
constexpr std::int64_t kNano = 1'000'000'000;
constexpr std::int64_t kMostSeconds = 4'000'000'000'000'000'000;  // the difference of two is a number
constexpr std::string_view kDigits = "0123456789";

// The digits at the beginning of `text`, which are taken off it.
std::string_view take_digits(std::string_view& text, std::size_t most = std::string_view::npos) {
  const std::size_t size = std::min({text.find_first_not_of(kDigits), text.size(), most});
  const std::string_view digits = text.substr(0, size);
  text.remove_prefix(size);
  return digits;
}

bool take(std::string_view& text, char mark) {
  if (!text.starts_with(mark)) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

std::optional<std::int64_t> whole_number(std::string_view digits) {
  std::int64_t value = 0;
  if (digits.empty()) {
    return value;
  }
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc{} && stop == digits.data() + digits.size() ? std::make_optional(value) : std::nullopt;
}

std::int64_t attoseconds_of(std::string_view fraction) {
  std::string digits(fraction.substr(0, kAttoDigits));
  digits.resize(kAttoDigits, '0');
  return whole_number(digits).value_or(0);
}

TraceInstant negative(const TraceInstant& instant) {
  return instant.attoseconds == 0 ? TraceInstant{-instant.seconds, 0}
                                  : TraceInstant{-instant.seconds - 1, kAtto - instant.attoseconds};
}

// An exponent such as e+05; empty for an invalid one.
std::optional<int> take_exponent(std::string_view& text) {
  constexpr std::int64_t kMost = 400;  // of a double
  if (!take(text, 'e') && !take(text, 'E')) {
    return 0;
  }
  const bool minus = take(text, '-');
  if (!minus) {
    take(text, '+');
  }
  const std::string_view digits = take_digits(text);
  const auto value = whole_number(digits);
  if (digits.empty() || !value || *value > kMost) {
    return std::nullopt;
  }
  return static_cast<int>(minus ? -*value : *value);
}

using DateParts = std::array<std::int64_t, 6>;  // year, month, day, hour, minute, second

std::chrono::year_month_day day_of(const DateParts& parts) {
  return {std::chrono::year{static_cast<int>(parts[0])}, std::chrono::month{static_cast<unsigned>(parts[1])},
          std::chrono::day{static_cast<unsigned>(parts[2])}};
}

bool are_date(const DateParts& parts) {
  return day_of(parts).ok() && parts[3] < 24 && parts[4] < 60 && parts[5] <= 60;
}

// "Mar" in front of `text`, which is taken off it, as "03"; empty for what is no month.
std::string_view take_month(std::string_view& text) {
  constexpr std::string_view kMonths = "Jan01Feb02Mar03Apr04May05Jun06Jul07Aug08Sep09Oct10Nov11Dec12";
  constexpr std::size_t kLetters = 3;
  constexpr std::size_t kDigitsOfMonth = 2;
  const std::size_t at = text.size() < kLetters ? std::string_view::npos : kMonths.find(text.substr(0, kLetters));
  if (at == std::string_view::npos || at % (kLetters + kDigitsOfMonth) != 0) {
    return {};
  }
  text.remove_prefix(kLetters);
  return kMonths.substr(at + kLetters, kDigitsOfMonth);
}

std::optional<DateParts> take_parts(std::string_view& text) {
  constexpr std::array<std::size_t, 6> kWidths = {4, 2, 2, 2, 2, 2};
  DateParts parts{};
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const std::string_view month = part == 1 ? take_month(text) : std::string_view{};
    const std::string_view digits = month.empty() ? take_digits(text, kWidths[part]) : month;
    const bool last = part + 1 == parts.size();
    if (digits.empty() || (part == 0 && digits.size() < kWidths[0]) || (!last && text.empty())) {
      return std::nullopt;
    }
    parts[part] = *whole_number(digits);
    text.remove_prefix(last ? 0 : 1);
  }
  return are_date(parts) ? std::make_optional(parts) : std::nullopt;
}

std::string capitals(std::string_view text) {
  std::string big(text);
  std::ranges::transform(big, big.begin(), [](char letter) {
    return static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  });
  return big;
}

// Hours of a clock with twelve of them; false when there is no such hour.
bool take_half(std::string& rest, std::int64_t& hour) {
  const bool after_noon = rest.starts_with("PM");
  if (!after_noon && !rest.starts_with("AM")) {
    return true;
  }
  rest.erase(0, std::min(rest.find_first_not_of(' ', 2), rest.size()));
  const bool good = hour >= 1 && hour <= 12;
  hour = hour % 12 + (after_noon ? 12 : 0);
  return good;
}

// +02:00, +0200, -05: seconds that the zone is ahead of UTC.
std::optional<std::int64_t> offset_of(std::string_view text) {
  const bool minus = text.starts_with('-');
  text.remove_prefix(1);
  const std::string_view hours = take_digits(text, 2);
  take(text, ':');
  const std::string_view minutes = take_digits(text, 2);
  if (hours.size() != 2 || (!minutes.empty() && minutes.size() != 2) || !text.empty()) {
    return std::nullopt;
  }
  const std::int64_t span = (*whole_number(hours) * 60 + *whole_number(minutes)) * 60;
  return minus ? -span : span;
}

bool is_zone_name(std::string_view text) {
  return std::ranges::all_of(
      text, [](char letter) { return (letter >= 'A' && letter <= 'Z') || letter == '/' || letter == '_'; });
}

}  // namespace

Nanoseconds between(const TraceInstant& from, const TraceInstant& to) {
  return Nanoseconds{(to.seconds - from.seconds) * kNano + to.attoseconds / kAttoPerNano -
                     from.attoseconds / kAttoPerNano};
}

std::optional<TraceInstant> instant_of_number(std::string_view text, int exponent) {
  const bool minus = take(text, '-');
  if (!minus) {
    take(text, '+');
  }
  const std::string_view whole = take_digits(text);
  std::string digits(whole);
  digits += take(text, '.') ? take_digits(text) : std::string_view{};
  const std::optional<int> power = digits.empty() ? std::nullopt : take_exponent(text);
  if (!power || !text.empty()) {
    return std::nullopt;
  }
  const std::size_t first = std::min(digits.find_first_not_of('0'), digits.size());
  const auto point = static_cast<std::int64_t>(whole.size()) - static_cast<std::int64_t>(first) + exponent + *power;
  digits.erase(0, first);
  if (digits.empty()) {
    return TraceInstant{};
  }
  if (point > std::numeric_limits<std::int64_t>::digits10 + 1) {
    return std::nullopt;
  }
  const auto before = static_cast<std::size_t>(std::max<std::int64_t>(point, 0));
  digits.resize(std::max(digits.size(), before), '0');
  digits.insert(0, static_cast<std::size_t>(std::clamp<std::int64_t>(-point, 0, kAttoDigits)), '0');
  const auto seconds = whole_number(std::string_view(digits).substr(0, before));
  if (!seconds || *seconds > kMostSeconds) {
    return std::nullopt;
  }
  const TraceInstant instant{*seconds, attoseconds_of(std::string_view(digits).substr(before))};
  return minus ? negative(instant) : instant;
}

std::optional<TraceDate> date_of(std::string_view text) {
  std::optional<DateParts> parts = take_parts(text);
  if (!parts) {
    return std::nullopt;
  }
  TraceDate date;
  if (take(text, '.') || take(text, ',')) {
    date.at.attoseconds = attoseconds_of(take_digits(text));
  }
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  std::string rest = capitals(text);
  if (!take_half(rest, (*parts)[3])) {
    return std::nullopt;
  }
  std::int64_t offset = 0;
  if (rest.starts_with('+') || rest.starts_with('-')) {
    const auto ahead = offset_of(rest);
    if (!ahead) {
      return std::nullopt;
    }
    offset = *ahead;
    date.zone = "UTC";
  } else if (!is_zone_name(rest)) {
    return std::nullopt;
  } else {
    date.zone = rest == "Z" || rest == "GMT" ? "UTC" : rest;
  }
  const std::int64_t day = std::chrono::sys_days{day_of(*parts)}.time_since_epoch().count();
  date.at.seconds = ((day * 24 + (*parts)[3]) * 60 + (*parts)[4]) * 60 + (*parts)[5] - offset;
  return date;
}

}  // namespace hilgate
