// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "physics_link/connection/connection_report.h"

namespace hilgate {

/// A ConnectionReporter: writes what happens to a connection to the log, a line each, as a warning unless the
/// connection is waited for or made.
void log_connection(const ConnectionEvent& event);

}  // namespace hilgate
