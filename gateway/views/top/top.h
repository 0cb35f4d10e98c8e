// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace hilgate {

/// `hilgate top`: shows the live state of a run on this terminal until `q` or a signal that ends programs; waits for a
/// gateway that is not there, or goes away. Returns the exit status. Throws std::runtime_error when there is no
/// terminal, or no name and not exactly one run.
int top_command(const std::string& run);

}  // namespace hilgate
