// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "gateway/views/report/run_story.h"

namespace hilgate {

/// A self-contained HTML page about these runs; for several runs it begins with their comparison.
std::string report_page(const std::vector<RunStory>& runs);

}  // namespace hilgate
