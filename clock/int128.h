// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hilgate {

// For exact products of two 64-bit numbers; g++ and clang++ both have it, ISO C++ does not.
__extension__ using Int128 = __int128;
__extension__ using UInt128 = unsigned __int128;

}  // namespace hilgate
