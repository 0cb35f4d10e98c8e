// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/duplication.h"

#include "netsim_link/impairments/delay_distribution.h"

namespace hilgate {

std::optional<Duplication> Duplication::read(YamlReader& link) {
  auto duplicate = link.optional_child(kKey);
  if (!duplicate) {
    return std::nullopt;
  }
  if (!duplicate->is_map()) {
    return Duplication{link.required<Probability>(kKey).value, Nanoseconds{0}};
  }
  return Duplication{duplicate->required<Probability>("probability").value,
                     read_within(*duplicate, "after", kDelayRange).value_or(Nanoseconds{0})};
}

}  // namespace hilgate
