// SPDX-License-Identifier: Apache-2.0
// Values that must be there and lie in a range: a fault names the value and the range.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string_view>

#include "config/yaml_reader.h"

namespace hilgate {

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
