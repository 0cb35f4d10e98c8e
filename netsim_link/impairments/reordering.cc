// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/reordering.h"

#include "netsim_link/impairments/delay_distribution.h"

namespace hilgate {

std::optional<Reordering> Reordering::read(YamlReader& link) {
  auto reorder = link.optional_child(kKey);
  if (!reorder) {
    return std::nullopt;
  }
  return Reordering{reorder->required<Probability>("probability").value,
                    require_within(*reorder, "by", kDelayRange).value_or(Nanoseconds{0})};
}

}  // namespace hilgate
