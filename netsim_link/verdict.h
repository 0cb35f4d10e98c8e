// SPDX-License-Identifier: Apache-2.0
// What passes between the gateway and a network simulator that decides packet by packet.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "clock/time.h"
#include "frame/id.h"

namespace hilgate {

/// A captured packet that waits for its verdicts. Ids count up from 0 in the order of capture and never repeat.
struct CapturedPacket {
  std::uint64_t id = 0;
  SimTime captured{};
  RobotIndex sender{};
  std::optional<RobotIndex> receiver{};  // empty: broadcast or multicast
  std::uint32_t length = 0;              // bytes of the Ethernet frame, without FCS
  std::uint32_t src_ip = 0;              // IPv4 in host byte order; 0 when the packet has none
  std::uint32_t dst_ip = 0;
  std::uint8_t traffic_class = 0;  // the IP header's: DSCP and ECN
};

/// Why a packet is not delivered to one receiver. kTooLate is the gateway's own: the verdict came after the release
/// time, and the configured policy discards such packets.
enum class AirDrop : std::uint8_t { kNone, kOutOfRange, kBitErrors, kCollision, kQueueFull, kOther, kTooLate };

constexpr std::string_view name(AirDrop drop) {
  switch (drop) {
    case AirDrop::kNone:
      return "none";
    case AirDrop::kOutOfRange:
      return "out_of_range";
    case AirDrop::kBitErrors:
      return "bit_errors";
    case AirDrop::kCollision:
      return "collision";
    case AirDrop::kQueueFull:
      return "queue_full";
    case AirDrop::kOther:
      return "other";
    case AirDrop::kTooLate:
      return "too_late";
  }
  return "unknown";
}

/// What becomes of one packet at one receiver. A packet may get several: one for each receiver, and more when the
/// simulated network duplicates it.
struct Verdict {
  std::uint64_t packet = 0;
  RobotIndex receiver{};
  SimTime release_at{};
  double ber = 0;  // of the bits delivered, [0, 1)
  AirDrop drop = AirDrop::kNone;
  std::uint32_t retries = 0;  // transmissions beyond the first, where the simulator reports them
  bool at_once = false;       // released as the verdict comes; release_at is the latest that was meant
  friend bool operator==(const Verdict&, const Verdict&) = default;
};

}  // namespace hilgate
