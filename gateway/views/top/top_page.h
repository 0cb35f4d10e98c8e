// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/text_table.h"

namespace hilgate {

// The view that the user has chosen.

enum class Panel { kLinks, kPorts, kSimulators, kClock, kConditions };

enum class LinkColumn { kName, kLoss, kSnr, kRate, kGoodput, kDelay, kMeasuredDelay, kQueue, kFrames, kPower, kTries };
inline constexpr int kLinkColumns = 11;

struct LinkName {
  std::string from, to;
  friend bool operator==(const LinkName&, const LinkName&) = default;
};

struct TopView {
  Panel panel = Panel::kLinks;
  LinkColumn sort = LinkColumn::kLoss;
  bool reversed = false;
  std::string filter;            // rows that have it, in letters of any size; empty: all
  bool typing = false;           // what is pressed goes into the filter
  std::optional<LinkName> link;  // the chosen one; none: the first
  bool detail = false;           // that link alone
  bool help = false;
  std::size_t scroll = 0;  // lines above the first one that is shown, where no line is chosen
};

struct ScreenSize {
  std::size_t columns = 80, rows = 24;
};

struct TopPage {
  PageLines lines;              // as many as the screen has rows, none wider than it
  std::vector<LinkName> links;  // that the view shows, in its order
  std::size_t body = 0;         // rows of the part that scrolls
  std::size_t most_scroll = 0;
};

/// What a view of a run looks like.
TopPage top_page(const SeenRun& run, const TopView& view, ScreenSize size);

}  // namespace hilgate
