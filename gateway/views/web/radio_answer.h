// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gateway/views/web/http_messages.h"

namespace hilgate {

/// What would be: {"profile": NAME, "distance_m": 60, "heights_m": [1, 4], "walls": ["brick:20cm"]} is answered by
/// {"profile": ..., "link": ..., "range": ...}, which are what `hilgate radio show`, `link` and `plot --json` say.
/// Profiles are found in `folders`, by name alone.
HttpResponse radio_answer(const std::vector<std::string>& folders, const std::string& asked);

}  // namespace hilgate
