// SPDX-License-Identifier: Apache-2.0
// What an item of `links` changes of the link itself, one key each; the others are impairments
// (netsim_link/impairments/impairments.h). A short form, where there is one, is a scalar: `delay: 5ms`.
#pragma once

#include <optional>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

std::optional<DelayConfig> read_delay(YamlReader& link);
std::optional<BitErrors> read_bit_errors(YamlReader& link);

}  // namespace hilgate
