// SPDX-License-Identifier: Apache-2.0
// What does not change from window to window: how radios send, which stations share the air, what happens to errors.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "clock/time.h"
#include "netsim_link/impairments/impairments.h"
#include "netsim_link/link_state.h"
#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/phy/medium_access.h"
#include "rf_profiles/phy/phy_mode.h"

namespace hilgate {

/// A medium that its stations share; half duplex, but for kScheduled.
struct AirDomain {
  Nanoseconds slot{9'000};
  Nanoseconds difs{34'000};   // idle time in front of every transmission, the least of any station
  std::uint32_t cw_min = 15;  // contention window, slots
  std::uint32_t cw_max = 1023;
  MediumAccess access = MediumAccess::kDcf;
  float carrier_sense_dbm = 0;     // kOverlappingDcf, kUnslottedCsma: weaker senders are not heard
  double interference_weight = 1;  // where transmissions overlap: of others' power in the SINR
  Nanoseconds tdma_slot{0};        // kTdma: of each station, in the order of their numbers
  Nanoseconds tdma_guard{0};       // kTdma: behind each slot
  bool tdma_yields = false;        // kTdma, of two stations: who has nothing to send leaves its slot to the other
  Nanoseconds cca{0};              // kUnslottedCsma: look at the medium
  Nanoseconds turnaround{0};       // kUnslottedCsma: from there to the transmission, and from a frame to its answer
  Nanoseconds interframe{0};       // kUnslottedCsma: pause of a station behind its transmission
  std::uint32_t most_busy = 4;     // kUnslottedCsma: looks that may find the medium busy
  std::optional<MeshForwarding>
      mesh{};              // routes are LinkTable::routes; absent: frames reach what is in reach of their sender
  bool both_ways = false;  // kScheduled: uplink and downlink in turn (TDD); users' frames to users take it twice
  std::string name{};      // for people
};

/// Unicast frames of one station to one receiver that are transmitted together (A-MPDU, IEEE 802.11-2020, 10.12), each
/// with an error of its own and one acknowledgement for all.
struct Aggregation {
  std::uint32_t frames = 1;  // at most; 1: none
  std::uint32_t bytes = 65'535;
  Nanoseconds time{5'484'000};
};

/// What of its time a radio may send: a budget of `share` of `period` of time on the air, which fills up steadily.
struct DutyCycle {
  double share = 1;  // (0, 1]; 1: no limit
  Nanoseconds period{3'600'000'000'000};
  bool drops = false;  // frames that find the budget spent; else they wait
};

/// One robot's radio in its domain.
struct Station {
  std::uint32_t domain = 0;        // index into AirPlan::domains; of an AirRole::kStation, that of its access point
  std::uint32_t queue_frames = 0;  // transmit queue, frames; full is a drop
  Aggregation aggregation{};
  DutyCycle duty{};         // kOverlappingDcf and kAloha
  Nanoseconds more_ifs{0};  // kDcf and kOverlappingDcf: waits so much longer than the domain's difs (AIFS)
  /// Unicast frames of more bytes, MAC header and FCS counted, are preceded by RTS and CTS; absent: never.
  std::optional<std::uint32_t> rts_above{};
  std::optional<std::array<EdcaParameters, kAccessCategories>> edca{};  // kOverlappingDcf; absent: one queue
  std::uint8_t group_mode = 0;    // in a mesh, of the group frames that it forwards: index into AirPlan::modes
  bool base = false;              // kScheduled: the base station, which has a queue and a share for every receiver
  std::uint32_t queue_bytes = 0;  // with serial: of payload that waits; queue_frames bounds the messages, too
  /// The radio is behind a serial port: of a packet it carries the data of UDP and TCP alone, and neither ARP nor
  /// neighbour discovery.
  bool serial = false;
  std::uint32_t icmp_mtu = 0;  // senders of longer packets are notified by ICMP (packet_too_big.h); 0: never
};

/// What configuration fixes for one link, on top of its state. Small: a thousand robots have a million.
struct LinkRules {
  ErrorPolicy policy = ErrorPolicy::kFcsDrop;
  std::uint32_t tries = 7;      // with kArq: transmissions of a unicast frame, the first included; at least 1
  Nanoseconds retry_delay{0};   // with kArq and without a station: added per repeat, where no medium times repeats
  BitHazard extra_hazard{};     // errors on the air in addition to the radio's
  Nanoseconds repeat_delay{0};  // with kArq, also on a medium: the frame's delay grows so much with every repeat
  double burst_continues = 0;   // probability that the bit after a wrong one is wrong too: 1 - 1 / (mean run), [0, 1)
  std::uint32_t mtu_bytes = 0;  // longest packet after the MAC header that the radio carries; 0: any
  bool combines = false;        // with kArq: the receiver combines tries (HARQ); LinkState::combined has their hazards
  bool protect_headers =
      true;                    // a hit in a header loses the frame; else errors hit its bytes alone, addresses included
  Nanoseconds extra_delay{0};  // added to the release time
  std::shared_ptr<const Impairments> impairments = nullptr;  // null: none
};
static_assert(sizeof(LinkRules) == 72);

/// Role of a robot in infrastructure mode (IEEE 802.11-2020, 4.5.3). Access points are numbered after robots.
enum class AirRole : std::uint8_t {
  kNone,         // no part of it: frames go from robot to robot
  kStation,      // by radio at the access point that LinkTable::attachments names, which changes
  kWired,        // by cable at an access point, or at the distribution system
  kAccessPoint,  // sends and receives by radio for others; no robot
};

/// How errors of a mode grow as the SNR falls, for frames that meet others. Without a curve it is a cliff.
struct ModeErrors {
  HazardCurve frame;    // none: at PhyMode::needed_snr
  HazardCurve control;  // of acknowledgements, RTS and CTS; none: at PhyMode::control_snr
};

struct AirPlan {
  std::vector<PhyMode> modes;  // LinkState's mode indices point here
  std::vector<AirDomain> domains;
  std::vector<std::optional<Station>> stations;  // by RobotIndex; empty: no shared medium, full duplex
  std::vector<LinkRules> rules;                  // by LinkIndex
  std::vector<AirRole> roles{};                  // by RobotIndex; empty: no infrastructure mode
  Nanoseconds distribution_delay{0};             // of the cable between two access points, or between one and a robot
  std::vector<ModeErrors> errors{};              // by mode; empty: cliffs

  [[nodiscard]] AirRole role(std::size_t robot) const { return roles.empty() ? AirRole::kNone : roles[robot]; }
};

}  // namespace hilgate
