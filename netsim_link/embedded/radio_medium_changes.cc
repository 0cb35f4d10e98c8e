// SPDX-License-Identifier: Apache-2.0
// The air of a medium as a configuration changes it: jammers, and losses that it gives.
#include <algorithm>
#include <cmath>

#include "netsim_link/embedded/radio_medium.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/pair_geometry.h"

namespace hilgate {

void RadioMedium::change(const AirChanges& changes) {
  changes_ = changes;
  alike_ = are_alike_ && changes_.jammers.empty() && changes_.path_loss_db.empty();
  for (Member& member : members_) {
    member.noise = member.own_noise;
  }
}

void RadioMedium::hear_jammers(SimTime at) {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    double power_mw = milliwatts(members_[i].own_noise);
    for (const Jammer& jammer : changes_.jammers) {
      power_mw += jammer.is_on(at) ? jamming_mw(jammer, i) : 0;
    }
    members_[i].noise = level_of_milliwatts(power_mw);
  }
}

// Without shadowing and fading, which are of pairs of radios.
double RadioMedium::jamming_mw(const Jammer& jammer, std::size_t member) {
  const RadioPhy& phy = members_[member].radio.profile->phy;
  const double share = jammer.share_in(phy.frequency, phy.bandwidth);
  if (share <= 0) {
    return 0;
  }
  const Vec3 here{columns_.x_m[member], columns_.y_m[member], columns_.z_m[member]};
  crossings_.clear();
  for (const Obstacle& obstacle : changes_.obstacles) {
    append_crossings({jammer.position, here}, obstacle, crossings_);
  }
  double loss_db = path_loss(channel_.path_loss,
                             {.d2d_m = std::hypot(here.x - jammer.position.x, here.y - jammer.position.y),
                              .d3d_m = distance_m(here, jammer.position),
                              .high_m = std::max(here.z, jammer.position.z),
                              .low_m = std::min(here.z, jammer.position.z),
                              .line_of_sight = crossings_.empty()},
                             carrier_)
                       .value;
  for (const WallCrossing& wall : crossings_) {
    loss_db += wall_of(wall).db(wall);
  }
  return share * milliwatts(jammer.power + members_[member].hears - Decibels{std::max(loss_db, 0.0)});
}

}  // namespace hilgate
