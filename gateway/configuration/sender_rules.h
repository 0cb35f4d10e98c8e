// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/link_overrides.h"

namespace hilgate {

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
