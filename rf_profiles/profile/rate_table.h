// SPDX-License-Identifier: Apache-2.0
// From SNR to the mode a sender picks and the errors a frame then meets, by table: built once per profile, read for
// every link and window.
//
// The choice is the one with the highest expected goodput G for frames of the profile's reference length. With p the
// loss of one try, n tries, and T_i the time of try i (AIFS, mean backoff of its contention window, frame, ACK),
//   G = 8 L (1 - p^n) / sum_{i<n} p^i T_i.
// Where the receiver combines tries (HARQ), p of each try is that of its combined SNR, up to the fourth.
// Tables have a step of 0.05 dB and are read with linear interpolation of the hazard (within 0.3 % of the curve
// wherever a frame has a chance).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "rf_profiles/profile/radio_profile.h"

namespace hilgate {

/// The SNR of a link as the modes meet it: the same for all, or for each its effective SINR, by index of
/// RadioPhy::modes.
class ModeSnrs {
 public:
  ModeSnrs(Decibels all) : all_(all) {}                               // NOLINT: is the SNR of each
  ModeSnrs(std::span<const Decibels> by_mode) : by_mode_(by_mode) {}  // NOLINT: likewise
  [[nodiscard]] Decibels of(std::size_t mode) const { return by_mode_.empty() ? all_ : by_mode_[mode]; }

 private:
  Decibels all_{};
  std::span<const Decibels> by_mode_;
};

class RateTable {
 public:
  explicit RateTable(const RadioProfile& profile);

  struct Choice {
    std::uint8_t mode = 0;  // index into RadioPhy::modes
    double hazard = 0;      // per bit
    float probing_ns = 0;   // LinkState's
  };
  /// What a sender picks at an SNR, and what its frames to groups meet.
  struct Answer {
    Choice unicast;
    double multicast_hazard = 0;
  };
  /// Where the tables have an SNR, for all that is asked at it.
  struct Place {
    std::size_t bin = 0;
    double part = 0;  // of the way to the next bin
  };
  [[nodiscard]] Place place_of(Decibels snr) const {
    const double at = (snr.value - kLowestSnr) * kBinsPerDb;
    const double most = static_cast<double>(bins_ - 2);
    const double within = at > 0 ? std::min(at, most) : 0;
    const auto bin = static_cast<std::int32_t>(within);
    return {static_cast<std::size_t>(bin), within - bin};
  }
  [[nodiscard]] Answer at(const Place& place) const {
    const Bin& bin = answers_[place.bin];
    return {{bin.mode, between(bin.unicast, place.part), 0}, between(bin.multicast, place.part)};
  }
  [[nodiscard]] Answer at(Decibels snr) const { return at(place_of(snr)); }
  /// Where modes meet SNRs of their own: the choice is by each mode's goodput, or least SNR, at its own.
  [[nodiscard]] Answer among(const ModeSnrs& snrs) const;
  [[nodiscard]] Choice unicast(Decibels snr) const { return at(snr).unicast; }
  [[nodiscard]] double hazard_in(std::size_t mode, Decibels snr) const { return hazard(mode, place_of(snr)); }
  /// Of a try whose energy comes on top of `tries_before` others of the same frame, in the receiver: 10 log10(k) dB for
  /// the k-th (Chase combining).
  [[nodiscard]] double combined_hazard(std::size_t mode, Decibels snr, unsigned tries_before) const;
  [[nodiscard]] double multicast_hazard(Decibels snr) const { return at(snr).multicast_hazard; }
  /// Probability that the acknowledgement of a frame in that mode is lost, at the SNR on its own way.
  [[nodiscard]] float ack_loss(std::size_t mode, const Place& place) const {
    if (ack_losses_.empty()) {
      return 0;
    }
    const float* const row = ack_losses_.data() + mode * bins_ + place.bin;
    return row[0] + static_cast<float>(place.part) * (row[1] - row[0]);
  }
  [[nodiscard]] float ack_loss(std::size_t mode, Decibels snr) const { return ack_loss(mode, place_of(snr)); }
  /// The middle of the lowest step of the table in which a sender picks the mode; empty: it never does.
  [[nodiscard]] std::optional<Decibels> least_snr_of(std::size_t mode) const;
  [[nodiscard]] std::uint8_t multicast_mode() const { return multicast_mode_; }
  /// Below this SNR even a frame of 64 bytes in the most robust mode is lost with a probability above 0.999.
  [[nodiscard]] Decibels least_usable_snr() const { return least_usable_snr_; }

 private:
  /// All that a link asks for, side by side: hazards here and at the next bin.
  struct Bin {
    float unicast[2];
    float multicast[2];
    std::uint8_t mode;
  };
  static double between(const float* hazards, double part) {
    const double here = hazards[0];
    return here + part * (hazards[1] - here);
  }
  [[nodiscard]] std::uint8_t best(const auto& bin_of) const;
  [[nodiscard]] double hazard(std::size_t mode, const Place& place) const {
    return between(&hazards_[mode * bins_ + place.bin], place.part);
  }

  static constexpr double kLowestSnr = -40;  // dB; LoRa at SF12 needs -20
  static constexpr double kHighestSnr = 60;
  static constexpr double kBinsPerDb = 20;
  std::size_t bins_ = 0;
  std::vector<float> hazards_;         // by mode, then by bin
  std::vector<Bin> answers_;           // by bin, without the last
  std::vector<std::uint8_t> choices_;  // modes to choose among, in the order of the profile
  std::vector<float> merits_;      // by place in choices_, then by bin: the greatest is chosen, of equal ones the first
  std::vector<float> ack_losses_;  // by mode, then by bin; empty: none is lost
  std::uint8_t multicast_mode_ = 0;
  Decibels least_usable_snr_;
};

/// Mean time of one try: AIFS, half a contention window of `window` slots, frame, ACK; seconds.
double try_time_s(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes, double window);

/// Expected goodput of unicast frames of `frame_bytes` (Ethernet) in one mode, bit/s: `loss` of each try, the last
/// one's for all further tries. Requires one at least.
double expected_goodput_bps(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes,
                            std::span<const double> losses);
/// The losses of a frame's tries, where they differ: of the first kCombinedTries with HARQ, else of one.
std::vector<double> losses_of_tries(const RadioMode& mode, const RadioProfile& profile, double snr_db,
                                    std::uint32_t frame_bytes);
/// The same at one hazard for all tries.
double expected_goodput_bps(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes, double hazard);

/// The same of a sender that always has frames waiting, where frames share transmissions (RadioMac::aggregation): what
/// is lost of one is repeated in the next.
double aggregated_goodput_bps(const PhyMode& mode, const RadioMac& mac, std::uint32_t frame_bytes, double hazard);

/// Tries of a frame whose hazards differ, where the receiver combines them.
inline constexpr unsigned kCombinedTries = 4;

}  // namespace hilgate
