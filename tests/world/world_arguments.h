// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

namespace hilgate::test {

/// What a program of worlds is asked for: PROGRAM [--frames N] [--from SEED], or PROGRAM --seed SEED.
struct WorldArguments {
  std::uint64_t frames = 300'000;
  std::uint64_t from = 1;
  std::optional<std::uint64_t> seed{};
};

/// Absent where they are wrong.
inline std::optional<WorldArguments> read_arguments(std::span<char*> arguments) {
  WorldArguments wanted;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const std::string_view name = arguments[i];
    std::uint64_t number = 0;
    const char* const end = i + 1 < arguments.size() ? arguments[i + 1] + std::strlen(arguments[i + 1]) : nullptr;
    if (end == nullptr || std::from_chars(arguments[i + 1], end, number).ptr != end) {
      return std::nullopt;
    }
    if (name == "--frames") {
      wanted.frames = number;
    } else if (name == "--from") {
      wanted.from = number;
    } else if (name == "--seed") {
      wanted.seed = number;
    } else {
      return std::nullopt;
    }
  }
  return wanted;
}

}  // namespace hilgate::test
