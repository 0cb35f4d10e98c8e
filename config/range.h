// SPDX-License-Identifier: Apache-2.0
// Values of a configuration that must lie in a range: a fault shows the value as it was written, and the range in
// words.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "config/plain_text.h"
#include "config/yaml_reader.h"

namespace hilgate {

/// The number to compare: of a duration, a quantity, or a plain number itself.
template <class T>
auto magnitude(const T& value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return value;
  } else if constexpr (std::is_same_v<T, Nanoseconds>) {
    return value.count();
  } else {
    return value.value;
  }
}

/// Where a value may lie, ends included, and the words for it.
template <class T>
struct Range {
  T low, high;
  std::string_view words;  // "100us to 10s"
};

/// The value of `key` within a range; a fault and nothing when it lies outside.
template <class T>
std::optional<T> read_within(YamlReader& map, std::string_view key, const Range<T>& range) {
  const std::optional<T> value = map.optional<T>(key);
  if (!value || (magnitude(range.low) <= magnitude(*value) && magnitude(*value) <= magnitude(range.high))) {
    return value;
  }
  map.fault(key, fmt::format("'{}' is out of range; allowed: {}", shown(map.optional<std::string>(key).value_or("")),
                             range.words));
  return std::nullopt;
}

/// As read_within, with a fault when the key is missing.
template <class T>
std::optional<T> require_within(YamlReader& map, std::string_view key, const Range<T>& range) {
  if (!map.has(key)) {
    map.required<std::string>(key);
    return std::nullopt;
  }
  return read_within(map, key, range);
}

// Values that must be there and lie in a range: a fault names the value and the range.

/// The value of a key that must be there; nothing, with a fault, when it is missing or no T.
template <class T>
std::optional<T> needed(YamlReader& map, std::string_view key) {
  if (!map.has(key)) {
    map.required<T>(key);
    return std::nullopt;
  }
  return map.optional<T>(key);
}

/// A quantity within [low, high] (in the unit of its type), or a fault with the range and `low`.
template <class T>
T within(YamlReader& map, std::string_view key, double low, double high) {
  const std::optional<T> quantity = needed<T>(map, key);
  if (quantity && !(quantity->value >= low && quantity->value <= high)) {
    map.fault(key,
              fmt::format("{:g} is out of range; allowed: {:g} to {:g} in its base unit", quantity->value, low, high));
  }
  return quantity.value_or(T{low});
}

double number_within(YamlReader& map, std::string_view key, double low, double high);
std::uint32_t whole_within(YamlReader& map, std::string_view key, std::uint32_t low, std::uint32_t high);
std::uint32_t bytes_within(YamlReader& map, std::string_view key, std::uint32_t low, std::uint32_t high);
Nanoseconds time_within(YamlReader& map, std::string_view key, Nanoseconds low, Nanoseconds high);

}  // namespace hilgate
