// SPDX-License-Identifier: Apache-2.0
// Why a delivery did not happen. Every captured frame ends as released or as exactly one of these.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hilgate {

/// All properties of a reason: this table is the only list, so a new reason is a new row. Counters, status and
/// telemetry go by it.
///   enumerator, name in counters and status, what it means, errors on the air (mavlink's RADIO_STATUS counts these)
#define HILGATE_DROP_REASONS(ROW)                                                                                      \
  ROW(kRunt, "runt", "shorter than an Ethernet header", false)                                                         \
  ROW(kOversize, "oversize", "longer than the largest frame that the gateway takes", false)                            \
  ROW(kUnknownSender, "unknown_sender", "source address of no robot", false)                                           \
  ROW(kSpoofedSender, "spoofed_sender", "source address of a robot of another port or VLAN", false)                    \
  ROW(kUnknownVlan, "unknown_vlan", "on a port with VLANs: without a tag, or with that of no robot", false)            \
  ROW(kNoReceiver, "no_receiver", "no robot but the sender could hear it", false)                                      \
  ROW(kPtpKept, "ptp_kept", "PTP of a port, or for a port, that keeps PTP", false)                                     \
  ROW(kUnreachable, "unreachable", "below the receiver's sensitivity, or out of range", false)                         \
  ROW(kLostOnAir, "lost_on_air", "bit errors found by the radio's check sequence", true)                               \
  ROW(kRetriesSpent, "retries_spent", "bit errors in the last try, too", true)                                         \
  ROW(kCollision, "collision", "another station transmitted during the last try", true)                                \
  ROW(kChannelBusy, "channel_busy", "the medium was busy at each of the sender's looks at it", false)                  \
  ROW(kOutage, "outage", "the link's configured outage", false)                                                        \
  ROW(kConfiguredLoss, "configured_loss", "the link's configured loss", false)                                         \
  ROW(kEveryNth, "every_nth", "each n-th frame of the link, by `every`", false)                                        \
  ROW(kHeaderHit, "header_hit", "bit error in a header that must not be delivered damaged", true)                      \
  ROW(kQueueFull, "queue_full", "the transmit queue of the sender, or the queue of the link's rate, was full", false)  \
  ROW(kAqm, "aqm", "the active management (CoDel, PIE) of the queue of the link's rate", false)                        \
  ROW(kHoldFull, "hold_full", "the gateway held as many deliveries as it may", false)                                  \
  ROW(kCrossingFull, "crossing_full", "the ring to the core of the receiver's port was full", false)                   \
  ROW(kUnreachableGateway, "unreachable_gateway", "the receiver's gateway is not there, or not one air with this one", \
      false)                                                                                                           \
  ROW(kNoBuffer, "no_buffer", "no memory for a private copy to change", false)                                         \
  ROW(kUnplugged, "unplugged", "the receiver's port has no interface, or no carrier", false)                           \
  ROW(kPortRemoved, "port_removed", "the receiver's port was taken out of the configuration", false)                   \
  ROW(kTxFull, "tx_full", "the receiver's port took no more frames", false)                                            \
  ROW(kVerdictDrop, "verdict_drop", "the network simulator said so, or did not name this receiver", false)             \
  ROW(kVerdictLate, "verdict_late", "the verdict came after the release time, and late frames are discarded", false)   \
  ROW(kVerdictMissing, "verdict_missing", "no verdict until it expired, or no network simulator", false)               \
  ROW(kTooLong, "too_long", "longer than the sender's radio carries, and not to be fragmented", false)                 \
  ROW(kNotAssociated, "not_associated", "sender or receiver has no access point", false)                               \
  ROW(kNoRoute, "no_route", "the mesh has no route to the receiver", false)                                            \
  ROW(kHopLimit, "hop_limit", "forwarded as often as the mesh allows, as in a routing loop", false)                    \
  ROW(kRelayGone, "relay_gone", "the relay that had the frame left the mesh", false)                                   \
  ROW(kDutyCycle, "duty_cycle", "the sender has used up its duty cycle", false)                                        \
  ROW(kMemoryShare, "memory_share", "the sender's port held its share of the frame memory", false)                     \
  ROW(kAnswered, "answered", "a question for an address, which the gateway answered: the radio carries none", false)   \
  ROW(kShutdown, "shutdown", "held when the gateway stopped", false)

#define HILGATE_ENUMERATOR(reason, name, text, air_error) reason,
enum class DropReason : std::uint8_t { HILGATE_DROP_REASONS(HILGATE_ENUMERATOR) kCount };
#undef HILGATE_ENUMERATOR

inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::kCount);

struct DropReasonRow {
  std::string_view name;
  std::string_view text;
  bool air_error;
};

/// By DropReason.
#define HILGATE_ROW(reason, name, text, air_error) DropReasonRow{name, text, air_error},
inline constexpr std::array<DropReasonRow, kDropReasons> kDropReasonTable = {HILGATE_DROP_REASONS(HILGATE_ROW)};
#undef HILGATE_ROW
#undef HILGATE_DROP_REASONS

constexpr const DropReasonRow& row(DropReason reason) {
  return kDropReasonTable[static_cast<std::size_t>(reason)];
}
constexpr std::string_view name(DropReason reason) {
  return row(reason).name;
}

}  // namespace hilgate
