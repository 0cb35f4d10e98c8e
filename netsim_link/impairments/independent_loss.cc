// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/independent_loss.h"

#include "config/yaml_reader.h"

namespace hilgate {

void IndependentLoss::read(YamlReader& loss) {
  probability = loss.required<Probability>("probability").value;
}

}  // namespace hilgate
