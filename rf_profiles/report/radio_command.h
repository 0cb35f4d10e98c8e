// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "rf_profiles/report/link_report.h"

namespace hilgate {

/// What `hilgate radio` was asked.
struct RadioCommand {
  enum class Action : std::uint8_t { kList, kShow, kPlot, kLink, kOracle } action = Action::kList;
  enum class Form : std::uint8_t { kTable, kJson, kSvg } form = Form::kTable;  // SVG: plot only
  std::string name;                    // of the profile; for oracle the CSV file, or MODEL/QUANTITY with inputs
  std::vector<std::string> inputs{};   // for oracle: KEY=VALUE each
  std::vector<std::string> folders{};  // where profiles lie
  LinkQuestion question{};             // for plot (all but the distance) and link
};

/// `hilgate radio list|show|plot|link|oracle`: prints to `out`, errors to `err`. Returns the exit status: 0, 1 when a
/// reference value is not met, 2 when the command or a file is wrong.
int radio_command(const RadioCommand& command, std::ostream& out, std::ostream& err);

/// A wall written as MATERIAL or MATERIAL:THICKNESS, as in `brick:20cm`. Throws std::invalid_argument.
Wall parse_wall(const std::string& text);

}  // namespace hilgate
