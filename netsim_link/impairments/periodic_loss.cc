// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/periodic_loss.h"

#include "config/range.h"
#include "config/yaml_reader.h"

namespace hilgate {

std::optional<PeriodicLoss> PeriodicLoss::read(YamlReader& link) {
  constexpr Range<std::uint32_t> kFrames{1, 1'000'000, "1 to 1000000 frames"};
  const auto every = read_within(link, kKey, kFrames);
  return every ? std::make_optional(PeriodicLoss{*every}) : std::nullopt;
}

}  // namespace hilgate
