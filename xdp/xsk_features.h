// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace hilgate {

/// Of the answer of xsk_features(): a launch time in the transmit metadata is kept by the device, whose queue is a
/// FIFO (NETDEV_XSK_FLAGS_TX_LAUNCH_TIME_FIFO, include/uapi/linux/netdev.h of Linux 6.14).
inline constexpr std::uint64_t kXskLaunchTime = 1U << 2;

/// What the driver of an interface reports as features of its AF_XDP transmit metadata, by the generic netlink family
/// "netdev" (Documentation/netlink/specs/netdev.yaml, xsk-features). Empty when the kernel does not report it: before
/// Linux 6.8, or without the interface.
std::optional<std::uint64_t> xsk_features(unsigned interface);

}  // namespace hilgate
