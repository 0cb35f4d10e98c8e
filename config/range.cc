// SPDX-License-Identifier: Apache-2.0
#include "config/range.h"

namespace hilgate {

double number_within(YamlReader& map, std::string_view key, double low, double high) {
  const std::optional<double> value = needed<double>(map, key);
  if (value && !(*value >= low && *value <= high)) {
    map.fault(key, fmt::format("{:g} is out of range; allowed: {:g} to {:g}", *value, low, high));
  }
  return value.value_or(low);
}

std::uint32_t whole_within(YamlReader& map, std::string_view key, std::uint32_t low, std::uint32_t high) {
  const std::optional<std::uint32_t> value = needed<std::uint32_t>(map, key);
  if (value && (*value < low || *value > high)) {
    map.fault(key, fmt::format("{} is out of range; allowed: {} to {}", *value, low, high));
  }
  return value.value_or(low);
}

std::uint32_t bytes_within(YamlReader& map, std::string_view key, std::uint32_t low, std::uint32_t high) {
  const std::optional<Bytes> bytes = needed<Bytes>(map, key);
  if (bytes && (bytes->value < low || bytes->value > high)) {
    map.fault(key, fmt::format("{} B is out of range; allowed: {} B to {} B", bytes->value, low, high));
    return low;
  }
  return bytes ? static_cast<std::uint32_t>(bytes->value) : low;
}

Nanoseconds time_within(YamlReader& map, std::string_view key, Nanoseconds low, Nanoseconds high) {
  const std::optional<Nanoseconds> time = needed<Nanoseconds>(map, key);
  if (time && (*time < low || *time > high)) {
    map.fault(key,
              fmt::format("{} ns is out of range; allowed: {} ns to {} ns", time->count(), low.count(), high.count()));
  }
  return time.value_or(low);
}

}  // namespace hilgate
