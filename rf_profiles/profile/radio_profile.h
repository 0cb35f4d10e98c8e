// SPDX-License-Identifier: Apache-2.0
// A radio as its profile describes it: parsed, validated, immutable.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "clock/time.h"
#include "config/config_file.h"
#include "rf_profiles/errors/link_spread.h"
#include "rf_profiles/errors/packet_loss.h"
#include "rf_profiles/fading/fading.h"
#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/path_loss/path_loss.h"
#include "rf_profiles/phy/medium_access.h"
#include "rf_profiles/phy/phy_mode.h"
#include "rf_profiles/propagation/antenna_pattern.h"
#include "rf_profiles/propagation/shadowing.h"

namespace hilgate {

/// One way to send, with its errors.
struct RadioMode {
  std::string name;
  PhyMode phy;
  HazardCurve hazard;
  HazardCurve ack_hazard = {};  // of acknowledgements, RTS and CTS, PhyMode::ack_bits long; none: they are never lost
  std::optional<Decibels> adapted_snr = {};  // least that link adaptation by reports takes it at
  std::optional<double> efficiency = {};     // bit/s/Hz as CQIs count it; absent: that of rate and bandwidth
  double beta = 0;  // of its effective SINR (effective_sinr.h), for SNRs of the channel; 0: one SNR for all of the band
  double ack_beta = 0;  // likewise, of what ack_hazard is of
};

/// How radios of one make differ (TinyOS LinkLayerModel): variances of noise floor and output power, and covariance.
struct HardwareVariance {
  double noise_db2 = 0;
  double covariance_db2 = 0;
  double power_db2 = 0;
};

struct RadioPhy {
  Hertz frequency;
  Hertz bandwidth;
  Decibels noise_figure;
  Dbm tx_power;
  Decibels tx_gain;
  Decibels rx_gain;
  AntennaPattern antenna;  // on top of the gains
  Decibels cable_loss;
  std::optional<Dbm> sensitivity;            // a signal below it is not received
  std::optional<Decibels> out_of_sync;       // below it a terminal of a cell is not synchronised and receives nothing
  std::optional<HardwareVariance> hardware;  // absent: all alike
  std::optional<LinkSpread> link_spread;     // of measured errors; absent: links of one level are alike
  std::string error_model;                   // shown next to every error rate
  std::vector<RadioMode> modes;

  /// The level at a loss of 0, by the gains of both ends and the cable of each.
  [[nodiscard]] Dbm sent_and_gained() const { return tx_power + tx_gain + rx_gain - 2 * cable_loss; }
  [[nodiscard]] Dbm noise_floor() const { return noise_level(bandwidth, noise_figure); }
};

/// How a sender picks the mode of a unicast frame. `ideal` knows the SNR and takes the mode of the highest expected
/// goodput for frames of `frame_bytes`; `minstrel` learns from tries (rf_profiles/profile/minstrel.h); `reports`
/// takes the last mode whose adapted_snr is met; `fixed` always takes the first of `modes`.
struct RateControl {
  enum class Type : std::uint8_t { kIdeal, kFixed, kMinstrel, kReports } type = Type::kIdeal;
  std::vector<std::size_t> modes;  // indices into RadioPhy::modes, not empty
  std::uint32_t frame_bytes = 1500;
};

/// Unicast frames to one receiver that share a transmission; `frames` 1: none do.
struct FrameAggregation {
  std::uint32_t frames = 1;
  std::uint32_t bytes = 65'535;
  Nanoseconds time{5'484'000};
};

/// Share of a period that a radio may be on the air; 1: no limit.
struct DutyLimit {
  double share = 1;
  Nanoseconds period{3'600'000'000'000};
  bool drops = false;  // frames over it; else they wait
};

/// HARQ: the receiver adds up the energy of all tries of a frame (Chase combining), which gives try k 10 log10(k) dB.
struct Combining {
  Nanoseconds round_trip{0};  // from one try to the next
};

/// A cell of scheduled radios: its air is shared.
struct Cell {
  bool both_ways = false;              // TDD: uplink and downlink take turns; else FDD: each has its own
  bool base = false;                   // this radio is the base station
  std::optional<double> uplink_bps{};  // the most that a user sends with
};

/// What a mesh's routes are the shortest paths of.
enum class MeshMetric : std::uint8_t {
  kAirtime,  // time on the air of a frame with its repeats (IEEE 802.11-2020, 14.9)
  kEtx,      // expected transmissions by the hellos received both ways (De Couto et al., MobiCom 2003)
  kHops,
};

/// Stations of a mesh forward one another's frames.
struct MeshProtocol {
  MeshMetric metric = MeshMetric::kAirtime;
  Nanoseconds hello{500'000'000};     // between two of one station
  std::uint32_t lost_after = 2;       // hellos missed in a row
  Nanoseconds update{1'000'000'000};  // until routes follow a change of the metric
  MeshForwarding forwarding{};

  friend bool operator==(const MeshProtocol&, const MeshProtocol&) = default;
};

struct RadioMac {
  MediumAccess access = MediumAccess::kDcf;
  std::string domain;  // radios of one domain hear one another
  Nanoseconds slot{0};
  Nanoseconds sifs{0};
  std::uint32_t aifsn = 2;  // slots after SIFS that a station waits; 2 is DIFS (IEEE 802.11-2020, 10.23.2.4)
  std::uint32_t cw_min = 15;
  std::uint32_t cw_max = 1023;
  std::uint32_t tries = 1;  // of a unicast frame, the first included
  std::uint32_t queue_frames = 0;
  std::uint32_t queue_bytes = 0;     // of payload; 0: the queue counts frames
  std::optional<Dbm> carrier_sense;  // kOverlappingDcf, kUnslottedCsma: weaker senders are not heard
  double interference_weight = 1;    // of others' power where transmissions overlap
  Nanoseconds cca{0};                // unslotted CSMA-CA: look at the medium; sifs is the turnaround behind it
  Nanoseconds interframe{0};         // unslotted CSMA-CA: pause behind a transmission
  std::uint32_t most_busy = 4;       // unslotted CSMA-CA: looks that may find the medium busy
  Nanoseconds tdma_slot{0};          // TDMA: of each station
  Nanoseconds tdma_guard{0};         // TDMA: after each slot
  bool tdma_yields = false;          // TDMA of two: a station with nothing to send yields its slot
  FrameAggregation aggregation;
  DutyLimit duty;
  std::optional<std::array<EdcaParameters, kAccessCategories>> edca;  // CSMA with carrier_sense; absent: one queue
  std::optional<std::uint32_t> rts_above;  // CSMA: bytes on the air above which RTS and CTS go ahead; absent: never
  std::optional<Combining> combining;
  std::optional<MeshProtocol> mesh;  // absent: stations do not forward
  std::optional<Cell> cell;          // scheduled; absent: every radio has its rate for itself
  Nanoseconds latency{0};            // that the radio adds to every frame in addition to its time on the air
  std::size_t multicast_mode = 0;    // index into RadioPhy::modes; sent once, never acknowledged
  RateControl rate_control;

  [[nodiscard]] Nanoseconds difs() const { return sifs + 2 * slot; }
  /// Of a try, besides the frame exchange and the backoff.
  [[nodiscard]] Nanoseconds aifs() const {
    return access == MediumAccess::kUnslottedCsma ? cca + sifs + interframe : sifs + aifsn * slot;
  }
};

struct RadioChannel {
  PathLossModel path_loss;
  Shadowing shadowing;
  Fading fading;
  /// Line of sight drawn by the path loss model's own statistics, for scenes without a map; else by the scene.
  bool draws_sight = false;
};

/// How frames longer than the radio's own are carried; kDrop drops them, and kDropIcmp also notifies the sender.
enum class Adaptation : std::uint8_t { kDrop, kDropIcmp, kIpFragment, kSixlowpan, kSerialStream };

/// Where a value comes from. Tags as in docs/how-to/radio-profiles.md.
struct Provenance {
  std::string key;  // path in the profile; speaks for everything below it
  std::string tag;  // calc, ns3, src, 2nd, derived, measured, assumption, unverified
  std::string source;
  std::string effect{};  // of an assumption: what another value would change; empty otherwise
};

/// What a part of a profile was compared with. docs/validation lists them; the figures are those of the reference
/// values in tests/oracles.
struct Comparison {
  std::string with;               // measured, ns3, closed_form
  std::string quantity;           // "path loss"
  std::vector<std::string> rows;  // names of models in tests/oracles
  std::uint32_t points = 0;
  std::string median;  // of the absolute deviations, with its unit
  std::string most;    // 95 % of the absolute deviations are at most this
};

/// Empty for a profile that was compared with nothing.
struct Validation {
  std::vector<Comparison> compared;
  std::optional<std::pair<Metres, Metres>> distance;  // in which path loss was compared, from and to
  std::string rates;                                  // modes whose errors were compared; empty: none
};

struct RadioProfile {
  std::string id;
  std::string title;
  std::string file;
  RadioPhy phy;
  RadioMac mac;
  RadioChannel channel;
  std::uint32_t mtu_bytes = 1500;  // longest IP packet that it takes
  Adaptation adaptation = Adaptation::kDrop;
  bool serial_payload = false;  // it carries the data of UDP and TCP alone, as it comes over a serial port
  ErrorPolicy policy = ErrorPolicy::kFcsDrop;
  std::vector<Provenance> provenance;
  Validation validation{};
  std::vector<FileReference> references{};  // antenna patterns, error tables
};

}  // namespace hilgate
