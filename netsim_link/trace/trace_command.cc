// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/trace/trace_command.h"

#include <fmt/format.h>

#include <ostream>
#include <stdexcept>

#include "config/config_file.h"
#include "config/plain_text.h"
#include "netsim_link/trace/trace_file.h"
#include "netsim_link/trace/trace_report.h"

namespace hilgate {

int trace_command(const TraceCommand& command, std::ostream& out, std::ostream& err) {
  int status = 0;
  for (const std::string& file : command.files) {
    try {
      const Trace trace = read_trace(file, command.format, command.columns);
      if (command.action == TraceCommand::Action::kPlot) {
        out << plot_trace(trace);
      } else {
        out << (command.json ? report_json(trace) + "\n" : report_text(trace));
      }
    } catch (const ConfigError& error) {
      err << error.what() << '\n';
      status = 1;
    }
  }
  return status;
}

void add_column(CsvColumns& columns, const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::optional<CsvValue> value = csv_value(text.substr(0, equals));
  if (!value || equals == std::string::npos || equals + 1 == text.size()) {
    throw std::invalid_argument(
        fmt::format("'{}' is no column; allowed: VALUE=NAME or VALUE=NAME:UNIT, with {} for VALUE; example: "
                    "rate=DL_bitrate:kbit/s",
                    shown(text), csv_value_names()));
  }
  const std::string name = text.substr(equals + 1);
  const std::size_t colon = name.rfind(':');
  columns.named[static_cast<std::size_t>(*value)] =
      colon == std::string::npos ? CsvColumn{name} : CsvColumn{name.substr(0, colon), name.substr(colon + 1)};
}

}  // namespace hilgate
