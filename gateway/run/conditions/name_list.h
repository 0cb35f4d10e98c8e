// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace hilgate {

/// "red, blue and 18 more": the first names of a list that may be long. Requires one at least.
std::string name_list(const std::vector<std::string>& names);

}  // namespace hilgate
