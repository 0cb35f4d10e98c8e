// SPDX-License-Identifier: Apache-2.0
#include "physics_link/rosnetsim/rosnetsim_windows.h"

#include <fmt/format.h>

namespace hilgate::rosnetsim {

ProtocolFault no_end(std::uint32_t window, std::uint32_t asked) {
  return {ProtocolError::kUnexpected, fmt::format("BEGIN for window {}; expected END for window {}", window, asked)};
}

ProtocolFault other_window(std::uint32_t window, std::uint32_t asked) {
  return {ProtocolError::kBadValue,
          fmt::format("END with time_val {} in answer to window {}; it is taken for the answer, as the reference "
                      "coordinator does, which never looks at time_val",
                      window, asked)};
}

}  // namespace hilgate::rosnetsim
