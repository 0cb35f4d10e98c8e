// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/burst_loss.h"

#include "config/range.h"

namespace hilgate {

void BurstLoss::read(YamlReader& loss) {
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  probability = loss.required<Probability>("probability").value;
  least = require_within(loss, "min", kFrames).value_or(1);
  most = require_within(loss, "max", kFrames).value_or(1'000'000);
  if (most < least) {
    loss.fault("max", fmt::format("'{}' is less than min", most));
  }
}

}  // namespace hilgate
