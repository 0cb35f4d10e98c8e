// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gateway/configuration/configuration.h"

namespace hilgate {

/// What is allowed and probably not meant, a sentence each; `hilgate check` and a starting run say them.
std::vector<std::string> warnings(const Configuration& configuration);

}  // namespace hilgate
