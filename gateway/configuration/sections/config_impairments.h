// SPDX-License-Identifier: Apache-2.0
// The impairments of an item of `links`, one key each. A short form, where there is one, is a scalar: `delay: 5ms`.
#pragma once

#include <optional>
#include <vector>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

std::optional<DelayConfig> read_delay(YamlReader& link);
std::optional<LossModel> read_loss(YamlReader& link);
std::optional<BitErrors> read_bit_errors(YamlReader& link);
std::optional<RateLimit> read_rate(YamlReader& link);
std::optional<Reordering> read_reordering(YamlReader& link);
std::optional<Duplication> read_duplication(YamlReader& link);
std::optional<std::vector<Outage>> read_outages(YamlReader& link);

}  // namespace hilgate
