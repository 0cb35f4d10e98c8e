// SPDX-License-Identifier: Apache-2.0
// A transmission as media know it: what waits, what it takes, what becomes of it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "clock/time.h"
#include "frame/drop_reason.h"
#include "frame/slab.h"

namespace hilgate {

/// One transmission waiting for its turn. Deliveries are a list of AirDelivery, empty when the air loses them all.
struct AirJob {
  static constexpr std::uint32_t kGroup = 0xFFFF'FFFF;

  HostTime arrived{};
  Nanoseconds air_time{0};  // of one try, without acknowledgement
  Nanoseconds ack{0};
  std::uint32_t failing_tries = 0;  // lost on the air before the one that ends it
  std::uint32_t tries_left = 1;     // limit, collisions included
  NodeIndex deliveries = kNoNode;
  NodeIndex next = kNoNode;
  std::uint32_t to = kGroup;  // place of the receiver on the air
  std::uint32_t length = 0;   // bytes of the frame
  std::uint32_t pieces = 1;   // radio frames it takes
  std::uint8_t mode = 0;      // index into AirPlan::modes
  bool on_air = false;        // in the transmission at hand
  bool through = false;       // ... and received
  bool received = false;      // in any: the receiver has it, whether the sender knows or not
  bool handed_over = false;   // its result has been given
  bool done = false;          // received or given up; waits for those in front of it to the same receiver
  std::optional<DropReason> lost{};
};

/// What became of a job.
struct AirResult {
  NodeIndex deliveries;
  HostTime on_air_until;                 // end of the frame at the transmitter; propagation comes on top
  std::optional<DropReason> lost;        // of deliveries: kCollision or kRetriesSpent, by what ended the last try
  std::span<const std::uint32_t> met{};  // places of those who sent meanwhile, for group frames in kOverlap; for
                                         // Medium::received() within the call
  std::uint8_t mode = 0;
};

/// The times of one transmission, RTS, CTS and acknowledgement included.
struct AirExchange {
  Nanoseconds frame{0};
  Nanoseconds ack{0};
  Nanoseconds rts{0};     // 0: the frame is not announced
  Nanoseconds answer{0};  // SIFS and CTS
  Nanoseconds sifs{0};

  [[nodiscard]] bool announced() const { return rts.count() > 0; }
  [[nodiscard]] Nanoseconds before_frame() const { return rts + answer + sifs; }
  [[nodiscard]] Nanoseconds length() const { return before_frame() + frame + ack; }
  /// What is over before anybody knows that it failed.
  [[nodiscard]] Nanoseconds first() const { return announced() ? rts + answer : frame + ack; }
};

/// What became of a transmission of a frame that did not fail by itself.
enum class AirOutcome : std::uint8_t {
  kClean,
  kSpoiled,     // it met others
  kUnanswered,  // its RTS brought no CTS
  kUnheard,     // its acknowledgement met others
};

}  // namespace hilgate
