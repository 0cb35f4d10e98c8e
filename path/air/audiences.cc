// SPDX-License-Identifier: Apache-2.0
#include "path/air/audiences.h"

#include <algorithm>

namespace hilgate {

void Audiences::reserve(std::size_t most) {
  words_ = (most + kBits - 1) / kBits;
  looked_up_.assign(transmitters_.robots() + 1, 0);
  bits_.assign(looked_up_.size() * 2 * words_, 0);
}

void Audiences::look_up(std::uint32_t robot, const Row& row) const {
  const AirSignals& signals = transmitters_.signals();
  std::fill_n(row.sensing, 2 * words_, 0);
  for (std::size_t place = 0; place < members_.size(); ++place) {
    const Transmitter& member = transmitters_[members_[place]];
    const std::uint64_t bit = std::uint64_t{1} << place % kBits;
    if (member.robot == robot || signals.power_dbm(robot, member.robot) >= carrier_sense_dbm_) {
      row.sensing[place / kBits] |= bit;
    }
    const LinkState* const link = signals.between(robot, member.robot);
    if (transmitters_.of(member.robot) == &member && (link == nullptr || link->reachable)) {
      row.reached[place / kBits] |= bit;
    }
  }
}

}  // namespace hilgate
