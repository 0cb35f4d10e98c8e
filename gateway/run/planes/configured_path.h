// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/run/planes/path_slots.h"
#include "gateway/site/shared_media.h"
#include "gateway/site/site_meeting.h"
#include "netsim_link/air_plan.h"
#include "path/settings/path_settings.h"

namespace hilgate {

/// What the packet path knows of a configuration's robots, in their order.
std::vector<RobotEntry> configured_robots(const Configuration& configuration, const PortSlots& slots);

/// What the packet path takes from a configuration.
PathSettings configured_path(const Configuration& configuration, const AirPlan& air, const RobotSlots& slots);

/// The settings of a gateway of a site. Requires own_gateway(). Throws std::runtime_error where its key cannot be read.
SiteTerms site_terms(const Configuration& configuration);

/// By robot, the gateway of its port. Requires a site.
std::vector<std::uint32_t> gateways_of_robots(const Configuration& configuration);

/// Media whose stations are at several gateways, unless the site has these contend apart; or what a network simulator
/// decides that may be at any of them. Requires a site.
SharedMedia shared_media(const Configuration& configuration, const AirPlan& air);

/// The media of a plane that other gateways of its site have stations of, and what that is to this gateway's robots.
/// Empty without a site, or with `site.media: apart`. Control thread.
class SiteHomes {
 public:
  /// `air` by slots, of which the first are those of the robots. `tunnel`: the tunnel's group of crossings.
  SiteHomes(const Configuration& configuration, const AirPlan& air, std::size_t tunnel);

  /// 1 at a gateway of a site, else 0.
  [[nodiscard]] std::size_t tunnels() const { return tunnels_; }
  [[nodiscard]] std::size_t tunnel() const { return tunnel_; }
  /// media_homes(), of which own stations of shared media have the tunnel's group.
  [[nodiscard]] std::vector<std::size_t> of(std::vector<std::size_t> homes) const;
  /// Crossings::decided_here.
  [[nodiscard]] const std::vector<const std::atomic<bool>*>& decided_here() const { return decided_here_; }
  [[nodiscard]] MediaDeciders& deciders() { return deciders_; }
  [[nodiscard]] const MediaDeciders& deciders() const { return deciders_; }

 private:
  std::size_t tunnel_;
  std::size_t tunnels_;
  MediaDeciders deciders_;
  std::vector<const std::atomic<bool>*> decided_here_;  // by RobotSlot
};

}  // namespace hilgate
