// SPDX-License-Identifier: Apache-2.0
// What the reference coordinator of ROS-NetSim does to a packet's bytes, exactly, for people who
// must reproduce its results. Its rates are biased above 1e-2 and its header test is blind to IP options; the
// gateway's own damage (path/fate/damage.h) is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rf_profiles/numeric/random.h"

namespace hilgate::rosnetsim {

/// Flips bits of an IP packet at the rate `ber`, in [0, 1). False: the packet is dropped, because a flip hit one of
/// its first 20 bytes; its bytes are then spoilt. A rate outside [0, 1) drops, too.
[[nodiscard]] bool compat_flip(std::span<std::byte> packet, double ber, FrameRandom& random);

/// Makes a broadcast IPv4 packet one to `rx_ip` (host byte order), before the flips: writes the destination, computes
/// the header's checksum over 20 bytes anew, and clears bytes 26 and 27, which are UDP's checksum if it is UDP.
/// Requires at least 28 bytes; shorter packets stay as they are.
void compat_readdress(std::span<std::byte> packet, std::uint32_t rx_ip);

}  // namespace hilgate::rosnetsim
