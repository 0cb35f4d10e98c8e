// SPDX-License-Identifier: Apache-2.0
// A transmission as media know it: what waits, how long it takes, what becomes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"
#include "rf_profiles/phy/medium_access.h"

namespace hilgate {

/// One frame that waits for its transmission. Deliveries are a list of AirDelivery, empty when all of them are lost.
struct AirJob {
  static constexpr std::uint32_t kGroup = 0xFFFF'FFFF;

  HostTime arrived{};
  Nanoseconds air_time{0};  // of one try, without acknowledgement
  Nanoseconds ack{0};
  Nanoseconds probing{0};           // in air_time: what it bears for the sender's rate control
  std::uint32_t failing_tries = 0;  // lost on the air before the one that ends it
  std::uint32_t tries_left = 1;     // limit, collisions included
  std::uint32_t disturbed = 0;      // tries that others on the air took, or noise on RTS and CTS: failed besides
  NodeIndex deliveries = kNoNode;
  NodeIndex next = kNoNode;
  std::uint32_t to = kGroup;    // number of the receiver
  std::uint32_t length = 0;     // bytes of the frame
  std::uint32_t fragments = 1;  // radio frames it takes
  std::uint32_t left = 0;       // of a message in shared radio frames: bytes that have not been sent
  std::uint64_t bits_sent = 0;  // ... and bits of the radio frames that had the others
  std::uint8_t mode = 0;        // index into AirPlan::modes
  AccessCategory category = AccessCategory::kBestEffort;
  bool on_air = false;        // in the transmission at hand
  bool received_now = false;  // ... and received
  bool received = false;      // in any: the receiver has it, whether the sender knows or not
  bool handed_over = false;   // its result has been given
  bool done = false;          // received or given up; waits for those in front of it to the same receiver
  std::optional<DropReason> lost{};
};

/// A transmission that others on the air overlap with.
struct Overlap {
  std::uint32_t robot = 0;
  std::uint8_t mode = 0;
  HostTime from{};
  HostTime until{};
};

/// What became of a job.
struct AirResult {
  NodeIndex deliveries;
  HostTime on_air_until;           // end of the frame at the transmitter; propagation comes on top
  std::optional<DropReason> lost;  // of deliveries: kCollision or kRetriesSpent, by what ended the last try
  /// Who transmitted meanwhile, for group frames where transmissions overlap; for Medium::received() within the call.
  std::span<const Overlap> interferers{};
  HostTime on_air_since{};
  std::uint8_t mode = 0;
  std::uint32_t length = 0;     // bytes of the frame
  std::uint32_t disturbed = 0;  // AirJob::disturbed
  /// Of a message in shared radio frames: the number of the last at its sender, from 1 on, and the bits of all. What
  /// arrives together is lost together.
  std::uint64_t radio_frame = 0;
  std::uint64_t bits = 0;
};

/// The times of one frame exchange, RTS, CTS and acknowledgement included.
struct AirExchange {
  Nanoseconds frame{0};
  Nanoseconds ack{0};   // SIFS and acknowledgement
  Nanoseconds rts{0};   // 0: without RTS and CTS
  Nanoseconds cts{0};   // SIFS and CTS
  Nanoseconds sifs{0};  // between CTS and frame

  [[nodiscard]] bool has_rts() const { return rts.count() > 0; }
  [[nodiscard]] Nanoseconds before_frame() const { return rts + cts + sifs; }
  [[nodiscard]] Nanoseconds length() const { return before_frame() + frame + ack; }
  /// Until the transmitter knows that it failed: its CTS or its acknowledgement did not come.
  [[nodiscard]] Nanoseconds until_timeout() const { return has_rts() ? rts + cts : frame + ack; }
};

/// What other transmissions, or noise on its RTS and CTS, did to a frame exchange.
enum class AirOutcome : std::uint8_t {
  kClean,
  kCollision,     // another transmission took the frame, the RTS or the CTS
  kNoCts,         // noise took the RTS or the CTS
  kAckCollision,  // another transmission took the acknowledgement
};

}  // namespace hilgate
