// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gateway/top/page_line.h"
#include "gateway/top/seen_run.h"
#include "gateway/top/top_view.h"

namespace hilgate {

/// One link: what arrives, why not all of it, what it is like, what was dropped, and where its delay goes.
PageLines link_detail(const SeenRun& run, const LinkName& name, std::size_t columns);

}  // namespace hilgate
