// SPDX-License-Identifier: Apache-2.0
// The commands of hilgate. gateway/commands/NAME.cc defines add_NAME: the options of a command, and what it does.
#pragma once

#include <CLI/CLI.hpp>

#include "gateway/commands/command_line.h"

// One row per file, in the order of the help.
#define HILGATE_COMMANDS(row)                                                                                         \
  row(new) row(check) row(run) row(status) row(top) row(set) row(capture) row(extcap) row(record) row(replay)         \
      row(sweep) row(scenario) row(report) row(wire) row(lab) row(try) row(probe) row(bench) row(certify) row(doctor) \
          row(simulators) row(clock) row(metrics) row(web) row(radio) row(map) row(trace) row(track) row(survey)      \
              row(help) row(reference)

namespace hilgate {

#define HILGATE_DECLARE(name) void add_##name(CLI::App& program, Action& action);
HILGATE_COMMANDS(HILGATE_DECLARE)
#undef HILGATE_DECLARE

/// Adds all of them; the one that the command line names becomes `action`, which outlives `program`.
inline void add_commands(CLI::App& program, Action& action) {
#define HILGATE_ADD(name) add_##name(program, action);
  HILGATE_COMMANDS(HILGATE_ADD)
#undef HILGATE_ADD
}

}  // namespace hilgate
