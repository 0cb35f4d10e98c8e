// SPDX-License-Identifier: Apache-2.0
// What an item of `links` changes of the link itself, one key each; the others are impairments
// (netsim_link/impairments/impairments.h). A short form, where there is one, is a scalar: `delay: 5ms`.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "config/yaml_reader.h"
#include "gateway/configuration/configuration.h"

namespace hilgate {

std::optional<DelayConfig> read_delay(YamlReader& link);
std::optional<BitErrors> read_bit_errors(YamlReader& link);

/// The keys that change a link: its own, and those of the impairments.
std::vector<std::string_view> link_keys();

}  // namespace hilgate
