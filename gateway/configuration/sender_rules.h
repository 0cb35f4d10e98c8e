// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

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
  const LinkOverrides& overrides_;
  RobotIndex from_;
  LinkOverrides::Items to_any_;
  // Of the last link: most have the same.
  LinkOverrides::Items last_;
  std::shared_ptr<const Impairments> last_made_;
};

}  // namespace hilgate
