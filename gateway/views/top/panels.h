// SPDX-License-Identifier: Apache-2.0
// The panels other than the list of links, in full length; they require a status document.
#pragma once

#include <cstddef>
#include <string>

#include "gateway/views/top/seen_run.h"
#include "gateway/views/top/text_table.h"

namespace hilgate {

/// Ports, robots, and who sends without being one.
PageLines port_panel(const SeenRun& run, const std::string& filter);
/// Windows, simulators, verdicts, packet loops and the air.
PageLines simulator_panel(const SeenRun& run);
/// The reference, and what happened to it.
PageLines clock_panel(const SeenRun& run);
/// What is wrong, since when, and what `hilgate set` has changed.
PageLines condition_panel(const SeenRun& run, std::size_t columns);
/// What keys do.
PageLines help_panel();

}  // namespace hilgate
