// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/text_table.h"
#include "gateway/views/top/top_view.h"

namespace hilgate {

struct TopPage {
  PageLines lines;              // as many as the screen has rows, none wider than it
  std::vector<LinkName> links;  // that the view shows, in its order
  std::size_t body = 0;         // rows of the part that scrolls
  std::size_t most_scroll = 0;
};

/// What a view of a run looks like.
TopPage top_page(const SeenRun& run, const TopView& view, ScreenSize size);

}  // namespace hilgate
