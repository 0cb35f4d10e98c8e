// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "config/table_text.h"

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

double number_in(std::string_view text, double low, double high, std::string_view what, std::string_view allowed) {
  const std::optional<double> value = measured_number(text);
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
