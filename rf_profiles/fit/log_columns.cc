// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/fit/log_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "config/nearest.h"
#include "config/plain_text.h"

namespace hilgate {
namespace {

constexpr std::array<std::string_view, kLogValues> kLogNames = {"time", "distance", "x",   "y",        "z",   "lat",
                                                                "lon",  "level",    "snr", "received", "path"};

void add_log_column(LogColumns& columns, const std::string& part) {
  const std::size_t equals = part.find('=');
  const std::string value = part.substr(0, equals);
  const auto found = std::find(kLogNames.begin(), kLogNames.end(), value);
  if (found == kLogNames.end()) {
    const std::vector<std::string> known(kLogNames.begin(), kLogNames.end());
    throw std::invalid_argument(fmt::format("'{}' is no value of a log; {}", value, hint_for(value, known)));
  }
  if (equals == std::string::npos || equals + 1 == part.size()) {
    throw std::invalid_argument(fmt::format("'{}' names no column; write {}=NAME or {}=#3", part, value, value));
  }
  std::string& named = columns.named[static_cast<std::size_t>(found - kLogNames.begin())];
  if (!named.empty()) {
    throw std::invalid_argument(
        fmt::format("'{}' is given twice, as {} and {}", value, named, part.substr(equals + 1)));
  }
  named = part.substr(equals + 1);
}

void check_log_columns(const LogColumns& columns) {
  const auto has = [&](LogValue value) { return !columns.of(value).empty(); };
  const int places = int{has(LogValue::kDistance)} + int{has(LogValue::kX) && has(LogValue::kY)} +
                     int{has(LogValue::kLat) && has(LogValue::kLon)};
  if (has(LogValue::kX) != has(LogValue::kY) || has(LogValue::kLat) != has(LogValue::kLon)) {
    throw std::invalid_argument("a position needs both x and y, or both lat and lon");
  }
  if (places != 1) {
    throw std::invalid_argument(fmt::format("{}; give exactly one of: distance; x and y; lat and lon",
                                            places == 0 ? "has no place" : "has two places"));
  }
  if (has(LogValue::kLevel) == has(LogValue::kSnr)) {
    throw std::invalid_argument("needs exactly one of level (dBm) and snr (dB)");
  }
}

}  // namespace

std::string_view name_of(LogValue value) {
  return kLogNames[static_cast<std::size_t>(value)];
}

LogColumns parse_log_columns(std::string_view text) {
  LogColumns columns;
  for (const std::string& part : parts_of(text, ',')) {
    add_log_column(columns, part);
  }
  check_log_columns(columns);
  return columns;
}

OtherEnd parse_other_end(std::string_view text) {
  std::vector<double> numbers;
  for (const std::string& part : parts_of(text, ',')) {
    const std::optional<double> number = finite_number(part);
    if (!number) {
      throw std::invalid_argument(fmt::format("'{}' of '{}' is no number; write X,Y or X,Y,HEIGHT", part, text));
    }
    numbers.push_back(*number);
  }
  if (numbers.size() != 2 && numbers.size() != 3) {
    throw std::invalid_argument(
        fmt::format("'{}' has {} numbers; write X,Y or X,Y,HEIGHT", shown(text), numbers.size()));
  }
  OtherEnd end{numbers[0], numbers[1], {}};
  if (numbers.size() == 3) {
    end.height_m = numbers[2];
  }
  return end;
}

}  // namespace hilgate
