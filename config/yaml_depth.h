// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace hilgate {

inline constexpr int kDeepestYaml = 100;

/// The line of a YAML text on which brackets are nested deeper than kDeepestYaml; 0 when none is. The parser would take
/// hundreds of bytes for each bracket before it refuses. Brackets in quotes and comments count for nothing.
int line_of_deep_yaml(std::string_view text);

}  // namespace hilgate
