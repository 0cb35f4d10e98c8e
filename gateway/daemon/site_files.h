// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"
#include "gateway/configuration/document/config_document.h"

namespace hilgate {

/// The number of all files that the air of a run is made of.
std::uint64_t files_digest(const Configuration& configuration, const ConfigDocument& document);

/// The same with what has been set since.
std::uint64_t digest_with(std::uint64_t files, const std::vector<std::string>& assignments);

/// Throws std::runtime_error for a change that a site cannot make while it runs: who joins later computes the windows
/// since its beginning, and would come to another air.
void check_site_change(const ConfigDocument& running, const ConfigDocument& wanted);

}  // namespace hilgate
