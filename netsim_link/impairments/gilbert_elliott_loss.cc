// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/impairments/gilbert_elliott_loss.h"

#include "config/yaml_reader.h"

namespace hilgate {

void GilbertElliottLoss::read(YamlReader& loss) {
  to_bad = loss.required<Probability>("to_bad").value;
  to_good = loss.required<Probability>("to_good").value;
  good_loss = loss.optional<Probability>("good", Probability{0}).value;
  bad_loss = loss.optional<Probability>("bad", Probability{1}).value;
}

}  // namespace hilgate
