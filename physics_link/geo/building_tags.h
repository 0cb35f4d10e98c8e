// SPDX-License-Identifier: Apache-2.0
// What the tags of OpenStreetMap say of a building (https://wiki.openstreetmap.org/wiki/Key:building).
#pragma once

#include <optional>
#include <string_view>

namespace hilgate {

/// One level with its ceiling, m, where the height of a building is not given itself.
inline constexpr double kLevelHeight = 3;

/// A length as tags have it: metres ("12", "12.5 m"), feet and inches ("40 ft", "40'6\""). Nothing for text that is not
/// one, is below 0 or above 1000 m.
std::optional<double> length_of_tag(std::string_view text);
/// A number of levels, from 0 to 300.
std::optional<double> levels_of_tag(std::string_view text);

/// Walls of buildings, of `building:material`.
struct WallKind {
  std::string_view material;  // a built-in one
  double wall_m = 0;
};
/// Nothing for values that are not in the table of docs/how-to/places.md.
std::optional<WallKind> wall_kind_of_tag(std::string_view text);

}  // namespace hilgate
