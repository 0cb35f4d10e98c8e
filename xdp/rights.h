// SPDX-License-Identifier: Apache-2.0
// Which capability is missing, and how to give it.
#pragma once

#include <string>

namespace hilgate {

/// Of the capabilities that ports need, names those this process lacks and the ways to give them. `what` was refused.
std::string missing_rights(const std::string& what);
/// Whether this process has all of them.
bool has_all_rights();

}  // namespace hilgate
