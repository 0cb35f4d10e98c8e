// SPDX-License-Identifier: Apache-2.0
#include "gateway/status/model/value_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace hilgate {

std::string number_text(Known value, const std::string& unit) {
  if (!value || !std::isfinite(*value)) {
    return "-";
  }
  const double size = std::abs(*value);
  const bool whole = std::trunc(*value) == *value;
  const int digits = whole || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return fmt::format("{:.{}f}{}{}", *value, digits, unit.empty() ? "" : " ", unit);
}

std::string decibel_text(double value) {
  constexpr double kLeast = -30;
  return value < kLeast ? "< -30 dB" : number_text(value, "dB");
}

std::string percent_text(Known share) {
  if (!share || !std::isfinite(*share)) {
    return "-";
  }
  const double value = 100 * *share;
  if (value == 0 || value >= 99.95) {
    return fmt::format("{:.0f} %", value);
  }
  return value < 0.1 ? "<0.1 %" : fmt::format("{:.{}f} %", value, value < 10 ? 1 : 0);
}

std::string micros_text(Known micros) {
  if (!micros) {
    return "-";
  }
  const double size = std::abs(*micros);
  if (size >= 1e6) {
    return number_text(*micros / 1e6, "s");
  }
  return size >= 1e3 ? number_text(*micros / 1e3, "ms") : number_text(micros, "us");
}

std::string nanos_text(Known nanos) {
  if (!nanos) {
    return "-";
  }
  return std::abs(*nanos) < 1000 ? number_text(nanos, "ns") : micros_text(*nanos / 1e3);
}

std::string bit_rate_text(Known rate) {
  if (!rate) {
    return "-";
  }
  constexpr std::array<std::pair<const char*, double>, 3> kUnits = {
      {{"Gbit/s", 1e9}, {"Mbit/s", 1e6}, {"kbit/s", 1e3}}};
  for (const auto& [unit, size] : kUnits) {
    if (*rate >= size) {
      return number_text(*rate / size, unit);
    }
  }
  return number_text(std::round(*rate), "bit/s");
}

std::string count_text(double value) {
  return value >= 1e7 ? fmt::format("{:.1f} M", value / 1e6) : fmt::format("{:.0f}", value);
}

std::string clock_time_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(std::max(0.0, seconds));
  const auto minutes = fmt::format("{:02}:{:02}", whole / 60 % 60, whole % 60);
  return whole >= 3600 ? fmt::format("{}:{}", whole / 3600, minutes) : minutes;
}

}  // namespace hilgate
