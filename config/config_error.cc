// SPDX-License-Identifier: Apache-2.0
#include "config/config_error.h"

#include <algorithm>
#include <tuple>

namespace hilgate {
namespace {

std::vector<Fault> by_place(std::vector<Fault> faults) {
  std::stable_sort(faults.begin(), faults.end(),
                   [](const Fault& a, const Fault& b) { return std::tie(a.file, a.line) < std::tie(b.file, b.line); });
  return faults;
}

std::string joined(const std::vector<Fault>& faults) {
  std::string lines;
  for (const Fault& fault : faults) {
    lines += (lines.empty() ? "" : "\n") + fault.line_text();
  }
  return lines;
}

}  // namespace

std::string Fault::line_text() const {
  const std::string place = line > 0 ? file + ":" + std::to_string(line) : file;
  return place + ": " + (path.empty() ? "" : path + ": ") + text;
}

ConfigError::ConfigError(std::vector<Fault> faults)
    : std::runtime_error(joined(by_place(faults))), faults_(by_place(std::move(faults))) {}

}  // namespace hilgate
