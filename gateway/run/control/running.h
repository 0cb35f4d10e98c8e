// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace hilgate {

/// The control socket of the run by this name, or, without a name, of the only run there is. Throws std::runtime_error
/// when there is none, or several and no name.
std::filesystem::path running_gateway(const std::string& run);

/// The names of all runs that have a control socket here, in alphabetical order; some may be dead.
std::vector<std::string> runs_of_this_machine();

}  // namespace hilgate
