// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace hilgate {

/// A key whose value goes evenly from one number to another, in one unit.
struct Ramp {
  std::string key{};
  double from = 0, to = 0;
  std::string unit{};  // behind the number, with the blank before it

  /// From values as a configuration has them ("0 ms", "10 %", "3"). Throws std::invalid_argument for what is no number
  /// with a unit, and for two units.
  static Ramp between(std::string_view key, std::string_view from, std::string_view to);
  /// KEY=VALUE of a share of the way, in [0, 1].
  [[nodiscard]] std::string assignment(double share) const;
};

}  // namespace hilgate
