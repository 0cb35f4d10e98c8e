// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "clock/time.h"
#include "gateway/site/site_terms.h"

namespace hilgate {

/// The site's simulation, which others have begun.
struct SiteBegun {
  WallTime zero{};  // when its simulation time was 0
  WallTime then{};  // what the site's clock showed at the host's instant `at`
  HostTime at{};
  [[nodiscard]] WallTime now(HostTime host) const { return then + (host - at); }
};

/// Before a gateway begins: listens for those that have begun, and has the first in the configuration's order begin
/// where several come at a time. Waits a second, and for gateways before this one in the order that are beginning up to
/// 5 s more. Nothing: this one begins the site's simulation. Throws std::runtime_error where the gateway cannot have
/// its address.
std::optional<SiteBegun> meet_site(const SiteTerms& terms);

}  // namespace hilgate
