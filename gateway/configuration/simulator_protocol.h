// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace hilgate {

/// What a simulator at the other end of a socket speaks.
enum class SimulatorProtocol : std::uint8_t { kNative, kRosNetSim, kDancers };

}  // namespace hilgate
