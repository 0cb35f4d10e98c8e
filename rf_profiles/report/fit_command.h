// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "rf_profiles/fit/link_fit.h"
#include "rf_profiles/fit/measured_row.h"
#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// What `hilgate radio fit` was asked.
struct FitCommand {
  std::string log;                             // its name, for faults, titles and sources
  std::function<MeasuredLog()> read;           // its rows; throws std::runtime_error
  std::string base;                            // a name of the library, or a file
  std::string to{};                            // NAME.yaml; empty: no profile is written
  std::string report{};                        // empty: the report goes to `out`
  double held_out = 0;                         // share of the rows, the last ones; [0, 0.9]
  std::string mode{};                          // that losses are of; empty: the base's only one
  std::optional<std::uint32_t> frame_bytes{};  // of the frames that are counted; absent: as the log has it
  std::vector<std::string> folders{};          // where profiles lie
};

/// Fits a log and writes profile and report. Of a log without levels, losses and rates are put down to those that the
/// base has at the rows' distances. Returns the exit status: 0, or 2 when the command or a file is wrong, with
/// the reason in `err`; nothing is written then.
int fit_command(const FitCommand& command, std::ostream& out, std::ostream& err);

/// What a fit has found, for people: the models that were compared, measured against fitted by distance, what varies,
/// reception by level, throughput by distance against what the base has there, and what the log does not determine.
std::string fit_report(const std::string& log, const RadioProfile& base, const LinkFit& fit);

}  // namespace hilgate
