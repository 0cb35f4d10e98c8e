// SPDX-License-Identifier: Apache-2.0
// Numbers with units, as people write them in YAML: `12 m`, `20 dBm`, `2.4 GHz`, `1ms`, `0.1 %`, `64 KiB`.
//
// A quantity is a number, optional blanks and a unit of its table (see quantity.cc). The unit is never left out:
// `12` is no delay and no distance. Plain numbers, booleans and strings are read here too, so that everything
// a configuration can hold is parsed by one name: parse_text<T>().
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "clock/time.h"
#include "config/units.h"

namespace hilgate {

/// How a T is read from text. Specialise it for further types (MAC addresses, IP addresses, ...): parse() throws
/// std::invalid_argument with a text that continues "<key>: ...", the value and what is allowed.
template <class T>
struct TextOf;

#define HILGATE_QUANTITY_TEXT(T)           \
  template <>                              \
  struct TextOf<T> {                       \
    static T parse(std::string_view text); \
  }
HILGATE_QUANTITY_TEXT(Nanoseconds);
HILGATE_QUANTITY_TEXT(Metres);
HILGATE_QUANTITY_TEXT(MetresPerSecond);
HILGATE_QUANTITY_TEXT(Radians);
HILGATE_QUANTITY_TEXT(Hertz);
HILGATE_QUANTITY_TEXT(Dbm);
HILGATE_QUANTITY_TEXT(Decibels);
HILGATE_QUANTITY_TEXT(BitsPerSecond);
HILGATE_QUANTITY_TEXT(Bytes);
HILGATE_QUANTITY_TEXT(Probability);
HILGATE_QUANTITY_TEXT(Pacing);
HILGATE_QUANTITY_TEXT(PartsPerBillion);
HILGATE_QUANTITY_TEXT(double);
HILGATE_QUANTITY_TEXT(bool);
HILGATE_QUANTITY_TEXT(std::string);
#undef HILGATE_QUANTITY_TEXT

/// A whole decimal number in [low, high]. Throws std::invalid_argument.
std::int64_t parse_whole(std::string_view text, std::int64_t low, std::int64_t high);
std::uint64_t parse_whole_unsigned(std::string_view text, std::uint64_t high);

template <std::signed_integral T>
struct TextOf<T> {
  static T parse(std::string_view text) {
    return static_cast<T>(parse_whole(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
  }
};
template <std::unsigned_integral T>
requires(!std::same_as<T, bool>) struct TextOf<T> {
  static T parse(std::string_view text) {
    return static_cast<T>(parse_whole_unsigned(text, std::numeric_limits<T>::max()));
  }
};

template <class T>
T parse_text(std::string_view text) {
  return TextOf<T>::parse(text);
}

}  // namespace hilgate
