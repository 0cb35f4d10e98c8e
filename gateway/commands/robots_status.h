// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace hilgate {

/// What a status document says of these robots: of its links those that begin or end at one of them, of its robots,
/// ports and unknown senders theirs. Totals stay those of all. Throws std::runtime_error with the robots that there are
/// when a name is none of them.
void keep_robots(nlohmann::ordered_json& status, const std::vector<std::string>& names);

}  // namespace hilgate
