// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "rf_profiles/numeric/decibel.h"
#include "rf_profiles/phy/phy_mode.h"

// Error models answer with a hazard, -ln(1 - BER), because it is what the packet path counts with and because it
// keeps its digits where 1 - BER does not.

namespace hilgate {

/// Hazard per bit of a transmission mode at an SNR in dB (in the mode's channel). Falls with the SNR; 0 is error-free.
using HazardCurve = std::function<double(double snr_db)>;

/// -ln(1 - ber); below 0 counts as 0, 1 and above is infinite.
inline double hazard_of_ber(double ber) {
  return ber < 1 ? -std::log1p(-std::max(ber, 0.0)) : std::numeric_limits<double>::infinity();
}

/// Probability that a frame of `bits` is damaged: 1 - exp(-bits hazard).
inline double frame_error_rate(double hazard, double bits) {
  return -std::expm1(-bits * hazard);
}

/// Powers of concurrent transmissions add in linear units: what a signal is above the noise and
/// the interferers' sum, each interferer with a weight. 1 is the plain sum; 0.5 is what Shell and Mataric take after
/// D. Son, B. Krishnamachari and J. Heidemann (2005) for CC1000 radios.
inline Decibels sinr(Dbm signal, Dbm noise, std::span<const Dbm> interferers, double weight) {
  double disturbance = milliwatts(noise);
  for (const Dbm interferer : interferers) {
    disturbance += weight * milliwatts(interferer);
  }
  return signal - level_of_milliwatts(disturbance);
}

/// SNR above which less than a tenth of what has so many bits is lost, within 0.001 dB: what receivers of overlapping
/// frames go by. -40 to 60 dB.
inline Decibels needed_snr(double bits, const HazardCurve& hazard) {
  constexpr double kLoss = 0.1;
  constexpr double kStep = 1e-3;
  double low = -40;
  double high = 60;
  while (high - low > kStep) {
    const double middle = (low + high) / 2;
    (frame_error_rate(hazard(middle), bits) > kLoss ? low : high) = middle;
  }
  return {high};
}

/// Of full frames, 1514 bytes.
inline Decibels needed_snr(const PhyMode& mode, const HazardCurve& hazard) {
  constexpr std::uint32_t kFrame = 1514;
  return needed_snr(static_cast<double>(mode.error_bits(kFrame)), hazard);
}

}  // namespace hilgate

// What becomes of packets when frames are lost or damaged independently of one another.

namespace hilgate {

/// Probability that a frame of `bytes` is damaged at a bit error rate: 1 - (1 - BER)^(8 bytes).
double frame_loss(double ber, double bytes);

/// Sending again until it arrives, at most `tries` times (the first included, at least 1), each lost with `loss`.
struct Arq {
  double loss = 0;
  std::uint32_t tries = 1;
  [[nodiscard]] double residual_loss() const;       // loss^tries
  [[nodiscard]] double mean_transmissions() const;  // (1 - loss^tries) / (1 - loss); `tries` for loss 1
};

/// IP fragments of a UDP datagram with that much payload (RFC 791, 3.2: 20 bytes of header each, payload in units of
/// 8 bytes); at least 1. Requires mtu_bytes >= 28.
std::uint32_t ip_fragments(std::uint64_t payload_bytes, std::uint32_t mtu_bytes);

/// Probability that all fragments of a datagram arrive.
double fragment_delivery(std::uint32_t fragments, double fragment_loss);

/// Probability that `flips` different bits, turned at random in `covered_bytes` of random data, leave the 16-bit one's
/// complement sum of UDP and TCP as it was (RFC 1071). Exact: turning bit c of a word adds or takes 2^c, and the sum is
/// modulo 65535. Of an odd number of bytes the last counts as a word. At most 8 flips; takes about 10 ms for 4.
double checksum_miss(std::uint32_t covered_bytes, std::uint32_t flips);

/// Probability that a packet is damaged and passes its checksum at a bit error rate. Up to 4 errors count: more of
/// them pass with about 1/650 each, as 4 do, and that is taken for all.
double undetected_damage(double ber, std::uint32_t covered_bytes);

}  // namespace hilgate
