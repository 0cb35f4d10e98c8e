// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/plain_text.h"

namespace hilgate {

void TraceFaults::add(int line, const std::string& text) {
  if (!full()) {
    faults_.push_back({.file = file_, .line = line, .path = {}, .text = text});
  }
}

void TraceFaults::finish() const {
  if (!faults_.empty()) {
    throw ConfigError(faults_);
  }
}

bool TraceLines::next() {
  if (rest_.empty()) {
    return false;
  }
  const std::size_t end = rest_.find('\n');
  ended_ = end != std::string_view::npos;
  line_ = rest_.substr(0, end);
  rest_ = ended_ ? rest_.substr(end + 1) : std::string_view{};
  if (line_.ends_with('\r')) {
    line_.remove_suffix(1);
  }
  ++number_;
  return true;
}

std::string_view bare(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return text;
}

std::vector<std::string_view> fields_of(std::string_view line, char separator) {
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

std::vector<std::string_view> words_of_line(std::string_view line) {
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

double number_in(std::string_view text, double low, double high, std::string_view what, std::string_view allowed) {
  const std::optional<double> value = finite_number(text);
  if (!value || *value < low || *value > high) {
    throw BadEntry(text.empty() ? fmt::format("{} is missing; allowed: {}", what, allowed)
                                : fmt::format("{} is '{}'; allowed: {}", what, text, allowed));
  }
  return *value;
}

Nanoseconds span_in(std::string_view text, double unit_ns, Nanoseconds most, std::string_view what,
                    std::string_view allowed) {
  const double units = number_in(text, 0, static_cast<double>(most.count()) / unit_ns, what, allowed);
  return Nanoseconds{std::llround(units * unit_ns)};
}

}  // namespace hilgate
