// SPDX-License-Identifier: Apache-2.0
#include "gateway/views/top/text_table.h"

#include <algorithm>
#include <cctype>
#include <sstream>
#include <utility>

namespace hilgate {

namespace {

// UTF-8 continuation byte.
bool goes_on(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

bool is_obeyed(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code < 0x20 || code == 0x7F;
}

}  // namespace

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char byte) { return !goes_on(byte); }));
}

std::string clipped(const std::string& text, std::size_t columns) {
  std::string safe = text;
  std::ranges::replace_if(safe, is_obeyed, '?');
  if (columns_of(safe) <= columns) {
    return safe;
  }
  std::size_t end = 0;
  for (std::size_t taken = 0; end < safe.size(); ++end) {
    if (!goes_on(safe[end]) && ++taken >= columns) {
      break;
    }
  }
  return columns == 0 ? "" : safe.substr(0, end) + "~";
}

std::string padded(const std::string& text, std::size_t columns, bool right) {
  const std::string shown = clipped(text, columns);
  const std::string blanks(columns - columns_of(shown), ' ');
  return right ? blanks + shown : shown + blanks;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t columns, std::size_t indent) {
  std::vector<std::string> lines(1);
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    std::string& line = lines.back();
    if (line.find_first_not_of(' ') == std::string::npos) {
      line += word;
    } else if (columns_of(line) + 1 + columns_of(word) <= columns) {
      line += " " + word;
    } else {
      lines.push_back(std::string(indent, ' ') + word);
    }
  }
  return lines;
}

bool has_text(const std::string& text, const std::string& part) {
  const auto same = [](char one, char other) { return std::tolower(static_cast<unsigned char>(one)) == other; };
  return part.empty() || std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

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
