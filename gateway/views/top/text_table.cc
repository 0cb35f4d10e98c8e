// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/text_table.h"

#include <algorithm>

namespace hilgate {
namespace {

std::string row_text(const std::vector<std::string>& texts, const std::vector<std::size_t>& widths) {
  std::string text;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    text += i + 1 < texts.size() ? padded(texts[i], widths[i]) + "  " : texts[i];
  }
  return text;
}

}  // namespace

PageLines TextTable::lines(const std::string& filter) const {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < headings_.size(); ++i) {
    widths.push_back(columns_of(headings_[i]));
    for (const Row& row : rows_) {
      widths.back() = std::max(widths.back(), columns_of(row.texts[i]));
    }
  }
  PageLines lines{{{{row_text(headings_, widths), Ink::kDim}}}};
  for (const Row& row : rows_) {
    if (const std::string text = row_text(row.texts, widths); has_text(text, filter)) {
      lines.push_back({{{text, row.ink}}});
    }
  }
  return lines;
}

}  // namespace hilgate
