// SPDX-License-Identifier: Apache-2.0
// What becomes of packets when frames are lost or damaged independently of one another.
#pragma once

#include <cstdint>

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
