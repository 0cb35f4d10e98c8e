// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>

namespace hilgate {

/// That the calling thread may use.
std::size_t processors_allowed();

/// The calling thread, and those that it makes from here on, leave these processors to others, where it may use some
/// beside them.
void stay_off(const std::set<unsigned>& processors);

}  // namespace hilgate
