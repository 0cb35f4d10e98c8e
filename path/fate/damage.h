// SPDX-License-Identifier: Apache-2.0
// Bit errors on a frame's payload: which bytes are exposed, how many errors there will be, and flipping them.
//
// The fate is drawn at capture (scan) and carried out at release (apply): both walk the same errors, because an
// ErrorMeter and a FrameRandom are plain values that can be kept and walked again.
#pragma once

#include <cstdint>
#include <span>

#include "frame/frame_bytes.h"
#include "netsim_link/air_plan.h"
#include "path/fate/error_meter.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate {

/// Bytes that bit errors may hit, as offsets in the frame: [begin, end). A hit before `payload` loses the frame, as one
/// in the MAC header does, whatever its bytes: a damaged MAC or IP header would send it to another robot, and a damaged
/// ARP would poison a cache.
struct ExposedBytes {
  std::uint32_t begin = 0;
  std::uint32_t payload = 0;
  std::uint32_t end = 0;
  [[nodiscard]] std::uint64_t bits() const { return 8ULL * (end - begin); }
};

/// `head`: the frame's first segment; `length`: of the whole frame. After the MAC header all is exposed; protected
/// are the IP header, with kCorruptFixsum also the TCP/UDP/UDP-Lite/ICMP header, and ARP as a whole.
ExposedBytes exposed_bytes(std::span<const std::byte> head, std::uint32_t length, ErrorPolicy policy);

/// The whole frame, where headers are not protected.
inline ExposedBytes all_bytes(std::uint32_t length) {
  return {0, 0, length};
}

struct DamageScan {
  std::uint32_t errors = 0;
  bool header_hit = false;
};

/// Draws the errors of one frame. The meter moves on; `random` is the frame's own. After each error the next bit is
/// wrong too with probability `continues`, and so on: runs of mean length 1 / (1 - continues), which end with the
/// frame.
DamageScan scan_errors(ErrorMeter& meter, BitHazard hazard, const ExposedBytes& exposed, FrameRandom random,
                       double continues = 0);

/// What is needed to walk the same errors again. `next` is for the slab that notes live in.
struct DamageNote {
  ErrorMeter meter;  // as before the scan
  BitHazard hazard;
  FrameRandom random{0, 0, 0};
  ExposedBytes exposed;
  bool repair_checksums = false;
  double continues = 0;
  std::uint32_t next = 0;
};

/// Flips the noted errors in `bytes` and, if asked for, brings the IP payload's checksum in line (RFC 1624).
/// UDP over IPv4 without a checksum stays without; of fragments the checksum is out of reach and stays as it is.
void apply_errors(DamageNote note, FrameBytes& bytes);

}  // namespace hilgate
