// SPDX-License-Identifier: Apache-2.0
// Kernel interface newer than the headers of Debian 12 (Linux 6.1), from include/uapi/linux/if_xdp.h of Linux 6.6.
#pragma once

#include <cstdint>

namespace hilgate {

inline constexpr int kXdpUseSg = 1 << 4;                  // bind: frames may lie in several chunks
inline constexpr std::uint32_t kXdpPacketContinued = 1U;  // descriptor: more of this frame follows

}  // namespace hilgate
