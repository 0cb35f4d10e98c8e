// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/four_state_loss.h"

#include "config/yaml_reader.h"

namespace hilgate {

void FourStateLoss::read(YamlReader& loss) {
  p13 = loss.required<Probability>("p13").value;
  p31 = loss.required<Probability>("p31").value;
  p32 = loss.optional<Probability>("p32", Probability{0}).value;
  p23 = loss.optional<Probability>("p23", Probability{1}).value;
  p14 = loss.optional<Probability>("p14", Probability{0}).value;
  if (p13 + p14 > 1) {
    loss.fault("the sum of p13 and p14 exceeds 100 %; both leave state 1");
  }
  if (p31 + p32 > 1) {
    loss.fault("the sum of p31 and p32 exceeds 100 %; both leave state 3");
  }
}

}  // namespace hilgate
