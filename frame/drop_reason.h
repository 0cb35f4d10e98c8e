// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hilgate {

/// Why a delivery did not happen. Every captured frame ends as released or as exactly one of these.
enum class DropReason : std::uint8_t {
  kRunt,            // shorter than an Ethernet header
  kOversize,        // longer than the configured frame limit
  kUnknownSender,   // source address of no robot
  kSpoofedSender,   // source address of a robot of another port
  kNoReceiver,      // nobody but the sender could hear it
  kPtpKept,         // PTP of a port, or for a port, that keeps it
  kUnreachable,     // below sensitivity or out of range
  kLostOnAir,       // bit errors found by the radio's check sequence
  kRetriesSpent,    // as kLostOnAir, after the last try
  kCollision,       // the last try met another station's on the medium
  kOutage,          // the link's configured outage
  kConfiguredLoss,  // the link's configured loss
  kHeaderHit,       // bit error in a header that must not be delivered damaged
  kQueueFull,       // the sender's transmit queue, or the queue of a link's rate
  kHoldFull,        // the gateway's hold
  kCrossingFull,    // the ring to the core of the receiver's port
  kNoBuffer,        // no memory for a private copy to damage
  kTxFull,          // the receiver's port took no more frames
  kVerdictDrop,     // the network simulator said so, or forgot the packet without a word on this receiver
  kVerdictLate,     // its verdict came after the release time, and such frames are discarded
  kVerdictMissing,  // nobody judged it: no verdict until it expired, or no simulator at all
  kTooLong,         // longer than the sender's radio carries, and not to be cut into pieces
  kNotAssociated,   // sender or receiver has no access point
  kDutyCycle,       // the sender has used up the time on the air that it may take
  kShutdown,        // held when the gateway stopped
  kCount,
};

inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::kCount);

inline constexpr std::array<std::string_view, kDropReasons> kDropReasonNames = {
    "runt",         "oversize",     "unknown_sender",  "spoofed_sender", "no_receiver",    "ptp_kept",
    "unreachable",  "lost_on_air",  "retries_spent",   "collision",      "outage",         "configured_loss",
    "header_hit",   "queue_full",   "hold_full",       "crossing_full",  "no_buffer",      "tx_full",
    "verdict_drop", "verdict_late", "verdict_missing", "too_long",       "not_associated", "duty_cycle",
    "shutdown",
};

constexpr std::string_view name(DropReason reason) {
  return kDropReasonNames[static_cast<std::size_t>(reason)];
}

}  // namespace hilgate
