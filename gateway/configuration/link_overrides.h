// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// The items of `links` that have an effect. Of items with the same ends the last one wins, value by value; an item
/// without a remaining value is dropped, so that at most as many are left for the same ends as there are values.
class LinkOverrides {
 public:
  using Items = std::vector<const LinkOverride*>;  // in file order
  using End = std::optional<RobotIndex>;           // nothing: any robot

  /// `configuration` must outlive it.
  explicit LinkOverrides(const Configuration& configuration);

  [[nodiscard]] const Items& all() const { return all_; }
  /// The rules of flows, of any link.
  [[nodiscard]] const std::vector<FlowOverride>& flows() const { return *flows_; }
  /// Those that have just these ends.
  [[nodiscard]] const Items& of(End from, End to) const;

 private:
  using Ends = std::uint64_t;
  static Ends key(End from, End to);

  Items all_;
  const std::vector<FlowOverride>* flows_;
  std::unordered_map<Ends, Items> by_ends_;
};

}  // namespace hilgate
