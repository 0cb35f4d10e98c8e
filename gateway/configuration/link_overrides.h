// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

/// link_rules() of one sender's links: a thousand links of a thousand senders need not each look at every override.
class SenderRules {
 public:
  /// `overrides` must outlive it.
  SenderRules(const LinkOverrides& overrides, RobotIndex from);
  [[nodiscard]] LinkRules to(RobotIndex receiver, LinkRules base);
  /// What is laid over that link's rules, in file order.
  [[nodiscard]] LinkOverrides::Items items(RobotIndex receiver) const;

 private:
  using Flows = std::vector<const FlowOverride*>;  // in file order
  [[nodiscard]] Flows flows_to(RobotIndex receiver) const;

  const LinkOverrides& overrides_;
  RobotIndex from_;
  LinkOverrides::Items to_any_;
  // Of the last link: most have the same.
  LinkOverrides::Items last_;
  Flows last_flows_;
  std::shared_ptr<const Impairments> last_made_;
};

}  // namespace hilgate
