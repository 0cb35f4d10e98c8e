// SPDX-License-Identifier: Apache-2.0
// JSON (RFC 8259) that may be cut off: what is there of it, with the line of every value.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace hilgate {

struct JsonValue {
  using Items = std::vector<JsonValue>;
  using Members = std::vector<std::pair<std::string, JsonValue>>;
  /// std::nullptr_t is also what true, false and null are: nobody asks for them.
  std::variant<std::nullptr_t, double, std::string, Items, Members> value = nullptr;
  int line = 0;
  bool whole = true;  // false: the text ends within it

  [[nodiscard]] const double* number() const { return std::get_if<double>(&value); }
  [[nodiscard]] const std::string* text() const { return std::get_if<std::string>(&value); }
  [[nodiscard]] const Items* items() const { return std::get_if<Items>(&value); }
  [[nodiscard]] const Members* members() const { return std::get_if<Members>(&value); }
  /// The member of that name; null without.
  [[nodiscard]] const JsonValue* member(std::string_view name) const;
};

/// The value of `text`. Where the text ends early, values that it ends within hold what is whole of them.
/// Throws ConfigError, with `file` as its place, for what is no JSON.
JsonValue parse_json(std::string_view text, const std::string& file);

}  // namespace hilgate
