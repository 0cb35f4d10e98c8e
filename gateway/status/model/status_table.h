// SPDX-License-Identifier: Apache-2.0
// A status is structs; each has a table with a row for every field: its key in the status document, its member, and
// what it means. The document, the reference page and the test that both are complete come from these tables.
#pragma once

#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "config/units.h"
#include "physics_link/place.h"

namespace hilgate {

using StatusJson = nlohmann::ordered_json;

/// A field as the reference page has it: path in the document, [] for each element of a list; meaning and unit.
struct StatusField {
  std::string key;
  std::string_view text;
};

/// Null in the document where there is no value. A std::optional without a value has no key there.
template <class T>
struct OrNull {
  std::optional<T> value{};
};

/// Counts by name.
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

/// One field of `Struct`.
template <class Struct>
struct StatusRow {
  std::string_view key, text;
  void (*put)(const Struct& from, std::string_view key, StatusJson::object_t& to);
  void (*list)(const std::string& path, std::vector<StatusField>& fields);  // what the field itself consists of
};

/// Specialised for each struct: `static constexpr std::array rows`.
template <class Struct>
struct StatusTable;

template <class T>
concept StatusStruct = requires {
  StatusTable<T>::rows;
};

namespace status_detail {

template <class T>
struct Element {
  using Type = T;
  static constexpr bool is_list = false;
};
template <class T>
struct Element<std::optional<T>> : Element<T> {};
template <class T>
struct Element<std::vector<T>> {
  using Type = T;
  static constexpr bool is_list = true;
};

template <class S, class V>
S struct_of(V S::*);
template <class S, class V>
V value_of(V S::*);

}  // namespace status_detail

template <StatusStruct Struct>
StatusJson status_json_of(const Struct& status);

/// Spans take the unit from the end of their key: _ns, _us, _ms, else s. Rates are in Mbit/s.
template <class T>
StatusJson status_value(std::string_view key, const T& value) {
  if constexpr (StatusStruct<T>) {
    return status_json_of(value);
  } else if constexpr (std::is_same_v<T, Nanoseconds>) {
    if (key.ends_with("_ns")) {
      return value.count();
    }
    return key.ends_with("_us")   ? microseconds_of(value)
           : key.ends_with("_ms") ? microseconds_of(value) / 1e3
                                  : seconds_of(value);
  } else if constexpr (std::is_same_v<T, SimTime> || std::is_same_v<T, WallTime>) {
    return status_value(key, Nanoseconds{value.time_since_epoch()});
  } else if constexpr (std::is_same_v<T, BitsPerSecond>) {
    return std::round(value.value) / 1e6;
  } else if constexpr (std::is_same_v<T, Decibels> || std::is_same_v<T, Dbm> || std::is_same_v<T, Probability> ||
                       std::is_same_v<T, PartsPerBillion> || std::is_same_v<T, Bytes> || std::is_same_v<T, Metres>) {
    return value.value;
  } else if constexpr (std::is_same_v<T, Vec3>) {
    return StatusJson::array({value.x, value.y, value.z});
  } else if constexpr (std::is_same_v<T, NamedCounts>) {
    StatusJson::object_t counts;
    counts.reserve(value.size());
    for (const auto& [name, count] : value) {
      counts.emplace_back(name, count);
    }
    return counts;
  } else {
    return StatusJson(value);
  }
}
template <class T>
StatusJson status_value(std::string_view key, const OrNull<T>& value) {
  return value.value ? status_value(key, *value.value) : StatusJson(nullptr);
}
template <class T>
StatusJson status_value(std::string_view key,
                        const std::vector<T>& values) requires(!std::is_same_v<std::vector<T>, NamedCounts>) {
  StatusJson::array_t list;
  list.reserve(values.size());
  for (const T& value : values) {
    list.push_back(status_value(key, value));
  }
  return list;
}

/// The fields of `Struct` and of what it consists of, each with `path` before its key.
template <StatusStruct Struct>
void list_status_fields(const std::string& path, std::vector<StatusField>& fields) {
  for (const StatusRow<Struct>& row : StatusTable<Struct>::rows) {
    const std::string key = path + std::string(row.key);
    if (!row.text.empty()) {
      fields.push_back({key, row.text});
    }
    if (row.list != nullptr) {
      row.list(key, fields);
    }
  }
}

/// The row of a member. A struct whose fields describe it has no text.
template <auto kMember>
constexpr auto status_row(std::string_view key, std::string_view text = {}) {
  using Struct = decltype(status_detail::struct_of(kMember));
  using Value = decltype(status_detail::value_of(kMember));
  using Element = status_detail::Element<Value>;
  StatusRow<Struct> row{.key = key, .text = text, .put = nullptr, .list = nullptr};
  row.put = [](const Struct& from, std::string_view name, StatusJson::object_t& to) {
    if constexpr (requires { (from.*kMember).has_value(); }) {
      if ((from.*kMember).has_value()) {
        to.emplace_back(std::string(name), status_value(name, *(from.*kMember)));
      }
    } else {
      to.emplace_back(std::string(name), status_value(name, from.*kMember));
    }
  };
  if constexpr (StatusStruct<typename Element::Type>) {
    row.list = [](const std::string& path, std::vector<StatusField>& fields) {
      list_status_fields<typename Element::Type>(path + (Element::is_list ? "[]." : "."), fields);
    };
  }
  return row;
}

template <StatusStruct Struct>
StatusJson status_json_of(const Struct& status) {
  StatusJson::object_t json;
  json.reserve(StatusTable<Struct>::rows.size());
  for (const StatusRow<Struct>& row : StatusTable<Struct>::rows) {
    row.put(status, row.key, json);
  }
  return json;
}

}  // namespace hilgate
