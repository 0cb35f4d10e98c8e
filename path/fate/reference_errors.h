// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// What ROS-NetSim's reference does to one receiver's packet of its own, where configuration asks for its results
/// (netsim_link/rosnetsim/rosnetsim_compat.h): IPv4 to a group becomes IPv4 to `receiver_ip` (host byte order; 0 leaves
/// it), then bits are flipped at the rate `ber`. `frame` is a whole Ethernet frame, its IP packet at `payload`. False:
/// the reference drops it.
[[nodiscard]] bool spoil_as_reference(std::span<std::byte> frame, std::uint32_t payload, std::uint32_t receiver_ip,
                                      double ber, FrameRandom random);

}  // namespace hilgate
