// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "gateway/path/path_settings.h"

namespace hilgate {

/// A medium is decided by the one core that has all its stations: throws std::runtime_error where the cores of ports,
/// by PortId, part those of one medium. Ports of `elsewhere` are at other gateways.
void check_media(const PathSettings& settings, const std::vector<std::size_t>& core_of_port, std::size_t elsewhere);

}  // namespace hilgate
