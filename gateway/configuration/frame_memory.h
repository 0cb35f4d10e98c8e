// SPDX-License-Identifier: Apache-2.0
// The memory for frames that AF_XDP uses, and the memory it needs in addition.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "gateway/configuration/configuration.h"

namespace hilgate {

inline constexpr std::uint32_t kMostRingEntries = 2048;
inline constexpr std::uint32_t kLeastRingEntries = 64;

/// Entries of each ring of a port. Every port lends the kernel as many frames to receive into; all together lend three
/// quarters at most, so that some are left to hold.
constexpr std::uint32_t ring_entries(const MemoryConfig& memory, std::size_t ports) {
  const std::uint64_t share = std::uint64_t{memory.frames} * 3 / 4 / std::max<std::size_t>(ports, 1);
  return std::bit_floor(
      static_cast<std::uint32_t>(std::clamp<std::uint64_t>(share, kLeastRingEntries, kMostRingEntries)));
}

/// The fewest frames that so many ports can run with.
constexpr std::uint64_t least_frames(std::size_t ports) {
  return std::uint64_t{kLeastRingEntries} * ports * 4 / 3 + 1;
}

/// What the kernel keeps for so many sockets of AF_XDP, bytes: one entry for every frame of the memory for each socket
/// (struct xdp_buff_xsk, net/xdp/xsk_buff_pool.c).
constexpr std::uint64_t kernel_bytes(const MemoryConfig& memory, std::size_t sockets) {
  constexpr std::uint64_t kEntry = 128;
  return kEntry * memory.frames * sockets;
}

}  // namespace hilgate
