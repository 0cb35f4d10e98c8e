// SPDX-License-Identifier: Apache-2.0
#include "physics_link/geo/building_tags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "config/plain_text.h"

namespace hilgate {
namespace {

constexpr double kFoot = 0.3048;  // m
constexpr double kInch = 0.0254;  // m
constexpr double kMostMetres = 1000;
constexpr double kMostLevels = 300;

/// A number at the beginning, which is taken away, with the spaces after it.
std::optional<double> take_number(std::string_view& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || !std::isfinite(value)) {
    return std::nullopt;
  }
  text = trimmed(text.substr(static_cast<std::size_t>(end - text.data())));
  return value;
}

std::optional<double> within(std::optional<double> value, double most) {
  return value && *value >= 0 && *value <= most ? value : std::nullopt;
}

struct TaggedWalls {
  std::string_view tag;
  WallKind kind;
};
constexpr double kWall = 0.3;  // m
constexpr double kSheet = 0.001;
constexpr WallKind kWood{"wall_wood", kWall};
constexpr WallKind kWithWindows{"wall_windows", kWall};
constexpr WallKind kStone{"wall_stone", kWall};
constexpr WallKind kMetal{"metal", kSheet};
constexpr std::array kTaggedWalls = {
    TaggedWalls{"wood", kWood},
    TaggedWalls{"timber_framing", kWood},
    TaggedWalls{"bamboo", kWood},
    TaggedWalls{"glass", kWithWindows},
    TaggedWalls{"concrete", kWithWindows},
    TaggedWalls{"reinforced_concrete", kWithWindows},
    TaggedWalls{"cement_block", kWithWindows},
    TaggedWalls{"plaster", kWithWindows},
    TaggedWalls{"brick", kStone},
    TaggedWalls{"bricks", kStone},
    TaggedWalls{"stone", kStone},
    TaggedWalls{"sandstone", kStone},
    TaggedWalls{"limestone", kStone},
    TaggedWalls{"granite", kStone},
    TaggedWalls{"masonry", kStone},
    TaggedWalls{"metal", kMetal},
    TaggedWalls{"steel", kMetal},
};

}  // namespace

std::optional<double> length_of_tag(std::string_view text) {
  text = trimmed(text);
  const std::optional<double> number = take_number(text);
  if (!number || text.empty() || text == "m") {
    return within(number, kMostMetres);
  }
  if (text == "ft" || text == "'") {
    return within(*number * kFoot, kMostMetres);
  }
  if (text.front() != '\'') {
    return std::nullopt;
  }
  text = trimmed(text.substr(1));
  const std::optional<double> inches = take_number(text);
  return inches && text == "\"" ? within(*number * kFoot + *inches * kInch, kMostMetres) : std::nullopt;
}

std::optional<double> levels_of_tag(std::string_view text) {
  text = trimmed(text);
  const std::optional<double> number = take_number(text);
  return text.empty() ? within(number, kMostLevels) : std::nullopt;
}

std::optional<WallKind> wall_kind_of_tag(std::string_view text) {
  const auto found = std::ranges::find(kTaggedWalls, trimmed(text), &TaggedWalls::tag);
  return found == kTaggedWalls.end() ? std::nullopt : std::optional(found->kind);
}

}  // namespace hilgate
