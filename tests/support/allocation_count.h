// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate::test {

/// Calls of operator new so far in this program. Linking allocation_count.cc replaces the operators.
std::uint64_t allocation_count();

}  // namespace hilgate::test
