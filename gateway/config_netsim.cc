// SPDX-License-Identifier: Apache-2.0
#include "gateway/config_checks.h"
#include "gateway/config_sections.h"

namespace hilgate {

void read_netsim(YamlReader& root, Configuration& configuration) {
  YamlReader netsim = root.child("netsim");
  if (!netsim.absent()) {
    configuration.netsim =
        netsim.choice<NetsimConfig>("type", {{"embedded", EmbeddedConfig{}}, {"wire", WireConfig{}}});
  }
}

}  // namespace hilgate
