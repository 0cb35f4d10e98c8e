// SPDX-License-Identifier: Apache-2.0
// What a medium has of its members' antennas.
#include "netsim_link/embedded/radio_medium.h"

namespace hilgate {

void RadioMedium::add_antenna_gains(MediumTile& tile) const {
  if (!antennas_.any()) {
    return;
  }
  const auto at = [this](std::size_t member) {
    return Vec3{columns_.x_m[member], columns_.y_m[member], columns_.z_m[member]};
  };
  for (std::size_t i = 0; i < tile.pairs.size; ++i) {
    const std::size_t low = tile.low(i);
    const std::size_t high = tile.high(i);
    tile.loss_db[i] -= antennas_.gain(low, at(low), high, at(high)).value;
  }
}

void RadioMedium::append_unoriented(std::vector<RobotIndex>& robots) const {
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (antennas_.blind(i)) {
      robots.push_back(members_[i].radio.robot);
    }
  }
}

}  // namespace hilgate
