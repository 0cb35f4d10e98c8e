// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gateway/views/report/run_story.h"

namespace hilgate {

/// One HTML page about these runs that needs nothing beside itself; of several, first how they compare.
std::string report_page(const std::vector<RunStory>& runs);

}  // namespace hilgate
