// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numbers>
#include <span>

#include "config/plain_text.h"

namespace hilgate {
namespace {

struct Unit {
  std::string_view name;
  double scale;  // to the unit of the type
};

constexpr Unit kTime[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
constexpr Unit kLength[] = {{"m", 1}, {"mm", 1e-3}, {"cm", 1e-2}, {"km", 1e3}};
constexpr Unit kSpeed[] = {{"m/s", 1}, {"km/h", 1 / 3.6}};
constexpr Unit kAngle[] = {{"rad", 1}, {"deg", std::numbers::pi / 180}};
constexpr Unit kFrequency[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
constexpr Unit kPower[] = {{"dBm", 1}};
constexpr Unit kRatio[] = {{"dB", 1}, {"dBi", 1}};
constexpr Unit kBitRate[] = {{"bit/s", 1}, {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}};
constexpr Unit kBytes[] = {{"B", 1},        {"kB", 1e3},     {"MB", 1e6},    {"GB", 1e9},
                           {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
constexpr Unit kPart[] = {{"%", 1e-2}, {"ppm", 1e-6}};
constexpr Unit kClockPart[] = {{"ppb", 1}, {"ppm", 1e3}};

std::string allowed(std::span<const Unit> units) {
  std::string names;
  for (const Unit& unit : units) {
    names += (names.empty() ? "" : ", ") + std::string(unit.name);
  }
  return names;
}

/// Reads a finite number at the front of `text` and removes it; false without one.
bool take_number(std::string_view& text, double& value) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || !std::isfinite(value)) {
    return false;
  }
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

/// A micro sign may be either of Unicode's: U+00B5, which keyboards have, or the Greek letter U+03BC.
std::string_view plain_unit(std::string_view unit) {
  return unit == "\u00B5s" || unit == "\u03BCs" ? "us" : unit;
}

/// How other programs and people write units, in small letters.
struct OtherSpelling {
  std::string_view written;
  std::string_view unit;
};
constexpr OtherSpelling kOtherSpellings[] = {
    {"bps", "bit/s"},      {"kbps", "kbit/s"}, {"mbps", "Mbit/s"},  {"gbps", "Gbit/s"},    {"b/s", "bit/s"},
    {"kb/s", "kbit/s"},    {"mb/s", "Mbit/s"}, {"gb/s", "Gbit/s"},  {"bit", "bit/s"},      {"kbit", "kbit/s"},
    {"mbit", "Mbit/s"},    {"gbit", "Gbit/s"}, {"bits/s", "bit/s"}, {"kbits/s", "kbit/s"}, {"mbits/s", "Mbit/s"},
    {"gbits/s", "Gbit/s"}, {"sec", "s"},       {"secs", "s"},       {"second", "s"},       {"seconds", "s"},
    {"msec", "ms"},        {"msecs", "ms"},    {"usec", "us"},      {"usecs", "us"},       {"nsec", "ns"},
    {"minute", "min"},     {"minutes", "min"}, {"hour", "h"},       {"hours", "h"},        {"hr", "h"},
    {"meter", "m"},        {"meters", "m"},    {"metre", "m"},      {"metres", "m"},       {"mps", "m/s"},
    {"kmh", "km/h"},       {"kph", "km/h"},    {"degree", "deg"},   {"degrees", "deg"},    {"\u00B0", "deg"},
    {"radian", "rad"},     {"radians", "rad"}, {"percent", "%"},    {"pct", "%"},          {"byte", "B"},
    {"bytes", "B"},        {"k", "kB"},        {"m", "MB"},         {"g", "GB"},           {"kib", "KiB"},
    {"ki", "KiB"},         {"mi", "MiB"},      {"gi", "GiB"}};

/// "did you mean 'Mbit/s'? " where a unit is written otherwise; of bytes per second, how many bits these are.
std::string unit_guess(std::string_view written, std::span<const Unit> units) {
  const bool rate = !units.empty() && units.front().name == "bit/s";
  if (rate &&
      (written.ends_with("B/s") || written.ends_with("Bps") || in_small_letters(written).ends_with("bytes/s"))) {
    return "of bytes per second give eight times as many bit/s; ";
  }
  const std::string small = in_small_letters(written);
  for (const Unit& unit : units) {
    const bool is_called = std::ranges::any_of(
        kOtherSpellings, [&](const OtherSpelling& other) { return other.written == small && other.unit == unit.name; });
    if (is_called || in_small_letters(unit.name) == small) {
      return fmt::format("did you mean '{}'? ", unit.name);
    }
  }
  return {};
}

/// The quantity in its type's unit. `what` and `example` word the errors.
double parse_scaled(std::string_view text, std::span<const Unit> units, std::string_view what,
                    std::string_view example) {
  std::string_view rest = trimmed(text);
  double number = 0;
  if (!take_number(rest, number)) {
    throw std::invalid_argument(fmt::format("'{}' is not a {}; example: {}", shown(text), what, example));
  }
  rest = trimmed(rest);
  for (const Unit& unit : units) {
    if (plain_unit(rest) == unit.name) {
      return number * unit.scale;
    }
  }
  throw std::invalid_argument(
      rest.empty() ? fmt::format("'{}' has no unit; a {} needs one of {}; example: {}", shown(text), what,
                                 allowed(units), example)
                   : fmt::format("'{}' has the unit '{}', which is not a unit of a {}; {}allowed: {}", shown(text),
                                 shown(rest), what, unit_guess(rest, units), allowed(units)));
}

}  // namespace

Nanoseconds TextOf<Nanoseconds>::parse(std::string_view text) {
  const double ns = parse_scaled(text, kTime, "time", "1ms");
  if (std::abs(ns) > 9.2e18) {
    throw std::invalid_argument(fmt::format("'{}' is out of range; the maximum is 292 years", shown(text)));
  }
  return Nanoseconds{std::llround(ns)};
}
Metres TextOf<Metres>::parse(std::string_view text) {
  return {parse_scaled(text, kLength, "length", "12 m")};
}
MetresPerSecond TextOf<MetresPerSecond>::parse(std::string_view text) {
  return {parse_scaled(text, kSpeed, "speed", "10 m/s")};
}
Radians TextOf<Radians>::parse(std::string_view text) {
  return {parse_scaled(text, kAngle, "angle", "90 deg")};
}
Hertz TextOf<Hertz>::parse(std::string_view text) {
  return {parse_scaled(text, kFrequency, "frequency", "2.4 GHz")};
}
Dbm TextOf<Dbm>::parse(std::string_view text) {
  return {parse_scaled(text, kPower, "power level", "20 dBm")};
}
Decibels TextOf<Decibels>::parse(std::string_view text) {
  return {parse_scaled(text, kRatio, "ratio", "3 dB")};
}
BitsPerSecond TextOf<BitsPerSecond>::parse(std::string_view text) {
  return {parse_scaled(text, kBitRate, "bit rate", "8 Mbit/s")};
}
Bytes TextOf<Bytes>::parse(std::string_view text) {
  const double bytes = parse_scaled(text, kBytes, "size", "64 KiB");
  if (bytes < 0 || bytes > 0x1p62 || bytes != std::floor(bytes)) {
    throw std::invalid_argument(
        fmt::format("'{}' is not a size; allowed: whole bytes, 0 B or more; example: 64 KiB", shown(text)));
  }
  return {static_cast<std::uint64_t>(bytes)};
}
Probability TextOf<Probability>::parse(std::string_view text) {
  const double part = parse_scaled(text, kPart, "probability", "0.1 %");
  if (part < 0 || part > 1) {
    throw std::invalid_argument(fmt::format("'{}' is not a probability; allowed: 0 % to 100 %", shown(text)));
  }
  return {part};
}
Pacing TextOf<Pacing>::parse(std::string_view text) {
  const double part = parse_scaled(text, kPart, "pace", "50 %");
  if (part < 0) {
    throw std::invalid_argument(fmt::format("'{}' is not a pace; allowed: 0 % or more", shown(text)));
  }
  return {part};
}
PartsPerBillion TextOf<PartsPerBillion>::parse(std::string_view text) {
  return {parse_scaled(text, kClockPart, "frequency offset", "50 ppb")};
}

double TextOf<double>::parse(std::string_view text) {
  std::string_view rest = trimmed(text);
  double number = 0;
  if (!take_number(rest, number) || !rest.empty()) {
    throw std::invalid_argument(fmt::format("'{}' is not a number; example: 2.5 or 1e-5", shown(text)));
  }
  return number;
}
bool TextOf<bool>::parse(std::string_view text) {
  if (text == "true" || text == "false") {
    return text == "true";
  }
  throw std::invalid_argument(fmt::format("'{}' is not a boolean; allowed: true, false", shown(text)));
}
std::string TextOf<std::string>::parse(std::string_view text) {
  return std::string(text);
}

template <class T>
static T whole(std::string_view text, T low, T high) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high) {
    throw std::invalid_argument(fmt::format("'{}' is not a whole number from {} to {}", shown(text), low, high));
  }
  return value;
}
std::int64_t parse_whole(std::string_view text, std::int64_t low, std::int64_t high) {
  return whole(text, low, high);
}
std::uint64_t parse_whole_unsigned(std::string_view text, std::uint64_t high) {
  return whole(text, std::uint64_t{0}, high);
}

}  // namespace hilgate
