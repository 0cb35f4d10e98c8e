// SPDX-License-Identifier: Apache-2.0
#include "config/table_text.h"

#include <algorithm>

#include "config/plain_text.h"

namespace hilgate {
namespace {

std::vector<std::string_view> fields_between_blanks(std::string_view line) {
  constexpr std::string_view kBlanks = " \t";
  std::vector<std::string_view> words;
  for (std::size_t begin = line.find_first_not_of(kBlanks); begin != std::string_view::npos;) {
    const bool quoted = line[begin] == '"';
    const std::size_t close = quoted ? line.find('"', begin + 1) : begin;
    const std::size_t end = std::min(line.find_first_of(kBlanks, std::min(close, line.size() - 1)), line.size());
    words.push_back(bare(line.substr(begin, end - begin)));
    begin = line.find_first_not_of(kBlanks, end);
  }
  return words;
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

std::string_view bare(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

char separator_of(std::string_view line) {
  constexpr std::string_view kSeparators = ",;\t";
  const auto count = [line](char mark) { return std::ranges::count(line, mark); };
  const char most = *std::ranges::max_element(kSeparators, {}, count);
  return count(most) == 0 ? ' ' : most;
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
  if (separator == ' ') {
    return fields_between_blanks(line);
  }
  std::vector<std::string_view> fields;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= line.size(); ++i) {
    if (i == line.size() || (line[i] == separator && !quoted)) {
      fields.push_back(bare(line.substr(begin, i - begin)));
      begin = i + 1;
    } else if (line[i] == '"') {
      quoted = !quoted;
    }
  }
  return fields;
}

bool is_gap(std::string_view field) {
  return field.empty() || field == "-" || field == "nan" || field == "NaN" || field == "NA" || field == "null";
}

std::optional<double> measured_number(std::string_view field) {
  const bool has_plus = field.starts_with('+') && !field.starts_with("+-");
  return finite_number(field.substr(has_plus ? 1 : 0));
}

}  // namespace hilgate
