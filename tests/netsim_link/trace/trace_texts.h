// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "config/config_file.h"
#include "netsim_link/trace/trace_file.h"

namespace hilgate::test {

inline Trace read_text(std::string_view text, TraceFormat format, const CsvColumns& columns = {}) {
  return parse_trace(text, "link.trace", format, columns);
}

/// What is wrong with a text; empty when nothing is.
inline std::string faults_of(std::string_view text, TraceFormat format, const CsvColumns& columns = {}) {
  try {
    read_text(text, format, columns);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return {};
}

}  // namespace hilgate::test
