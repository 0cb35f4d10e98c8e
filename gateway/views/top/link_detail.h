// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/text_table.h"
#include "gateway/views/top/top_view.h"

namespace hilgate {

/// One link: what arrives, why not all of it, what it is like, what was dropped, and where its delay goes.
PageLines link_detail(const SeenRun& run, const LinkName& name, std::size_t columns);

}  // namespace hilgate
