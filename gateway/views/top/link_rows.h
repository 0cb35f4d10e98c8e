// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/text_table.h"
#include "gateway/views/top/top_page.h"

namespace hilgate {

/// The links that a view shows, in its order: by a column the worst first, or by name.
std::vector<const SeenLink*> shown_links(const SeenRun& run, const TopView& view);

/// The table of links: heading, and as many lines of it as there are.
class LinkRows {
 public:
  /// Columns that have no room are left out.
  LinkRows(const std::vector<const SeenLink*>& links, std::size_t columns);

  [[nodiscard]] PageLine heading(const TopView& view) const;
  [[nodiscard]] PageLine row(const SeenLink& link) const;

 private:
  std::size_t name_width_ = 0;
  std::size_t note_width_ = 0;
  std::vector<LinkColumn> shown_;
};

/// The heading of a column.
std::string column_name(LinkColumn column);
Grade grade_of(const SeenLink& link);
Ink ink_of(Grade grade);
std::string link_text(const SeenLink& link);

}  // namespace hilgate
