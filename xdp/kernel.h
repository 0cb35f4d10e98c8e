// SPDX-License-Identifier: Apache-2.0
// Kernel interface newer than the headers of Debian 12 (Linux 6.1), from include/uapi/linux/if_xdp.h of Linux 6.6 and,
// for transmit metadata (Documentation/networking/xsk-tx-metadata.rst), 6.14; from include/uapi/linux/bpf.h of 6.3.
#pragma once

#include <bpf/libbpf.h>

#include <cstddef>
#include <cstdint>
#include <system_error>

namespace hilgate {

inline constexpr int kXdpUseSg = 1 << 4;                  // bind: frames may lie in several chunks
inline constexpr std::uint32_t kXdpPacketContinued = 1U;  // descriptor: more of this frame follows

inline constexpr std::uint32_t kXdpUmemTxMetadataLen = 1U << 2;  // flags of XdpUmemReg: tx_metadata_len counts
inline constexpr std::uint32_t kXdpTxMetadata = 1U << 1;         // descriptor: an XskTxMetadata precedes the frame
inline constexpr std::uint64_t kXdpTxmdFlagsTimestamp = 1U << 0;
inline constexpr std::uint64_t kXdpTxmdFlagsLaunchTime = 1U << 2;

inline constexpr std::uint32_t kXdpDeviceBoundOnly = 1U << 6;  // flags of a program: for one device; Linux 6.3

/// struct xdp_umem_reg.
struct XdpUmemReg {
  std::uint64_t addr = 0;
  std::uint64_t len = 0;
  std::uint32_t chunk_size = 0;
  std::uint32_t headroom = 0;
  std::uint32_t flags = 0;
  std::uint32_t tx_metadata_len = 0;  // Linux 6.8, a multiple of 8 below 256; as long as older kernels' padding
};
static_assert(sizeof(XdpUmemReg) == 32 && offsetof(XdpUmemReg, tx_metadata_len) == 28);

/// struct xsk_tx_metadata, which begins tx_metadata_len bytes before the frame.
struct XskTxMetadata {
  std::uint64_t flags = 0;
  // ns, when the frame is completed. In the request its place has csum_start and csum_offset.
  std::uint64_t tx_timestamp = 0;
  std::uint64_t launch_time = 0;  // of the request, ns of the device's clock; Linux 6.14
};
static_assert(sizeof(XskTxMetadata) == 24 && offsetof(XskTxMetadata, tx_timestamp) == 8 &&
              offsetof(XskTxMetadata, launch_time) == 16);

/// How many values a map of the kind "per CPU" has for a key. Throws std::system_error: libbpf reads a file for it.
inline std::size_t possible_cpus() {
  const int cpus = libbpf_num_possible_cpus();
  if (cpus < 0) {
    throw std::system_error(-cpus, std::generic_category(), "the number of processors");
  }
  return static_cast<std::size_t>(cpus);
}

}  // namespace hilgate
