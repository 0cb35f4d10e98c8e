// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// link_rules() of one sender's links: a thousand links of a thousand senders need not each look at every override.
class SenderRules {
 public:
  /// `configuration` must outlive it.
  SenderRules(const Configuration& configuration, RobotIndex from);
  [[nodiscard]] LinkRules to(RobotIndex receiver, LinkRules base) const;

 private:
  std::vector<const LinkOverride*> changes_;  // in file order
};

}  // namespace hilgate
