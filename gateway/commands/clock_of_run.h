// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gateway/commands/clock/clock_command.h"

namespace hilgate {

/// `hilgate clock status|watch|trace RUN`: the clock of a running gateway, as it sees it itself. Prints to standard
/// output; watch and trace go on until interrupted, or for options.duration. 0: it tracks its reference or has none by
/// choice. Throws std::runtime_error when there is no such run, and for doctor, which looks at a reference itself.
int clock_of_run_command(const ClockOptions& options, const std::string& run);

}  // namespace hilgate
