// SPDX-License-Identifier: Apache-2.0
#include "rf_profiles/errors/packet_loss.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace hilgate {
namespace {

constexpr std::uint32_t kModulus = 65535;  // of the one's complement sum
constexpr std::uint32_t kWordBits = 16;
constexpr std::uint32_t kMostFlips = 8;

double choose(double n, std::uint32_t k) {
  double ways = 1;
  for (std::uint32_t i = 0; i < k; ++i) {
    ways *= (n - i) / (i + 1);
  }
  return ways;
}

using Residues = std::vector<double>;  // ways to reach each sum

/// `flips` bits of one column, each of a sign at random, added to the sums of the columns before.
void add_column(const Residues& before, Residues& after, double words, std::uint32_t column, std::uint32_t flips) {
  for (std::uint32_t up = 0; up <= flips; ++up) {
    const double ways = choose(words, flips) * choose(flips, up) * std::ldexp(1.0, -static_cast<int>(flips));
    // 2^column (up - down), taken into [0, modulus).
    const std::int64_t change = (2 * std::int64_t{up} - std::int64_t{flips}) * (std::int64_t{1} << column);
    const auto by = static_cast<std::uint32_t>((change % kModulus + kModulus) % kModulus);
    for (std::uint32_t sum = 0; sum < kModulus; ++sum) {
      if (before[sum] > 0) {
        const std::uint32_t there = sum + by;
        after[there < kModulus ? there : there - kModulus] += ways * before[sum];
      }
    }
  }
}

}  // namespace

double frame_loss(double ber, double bytes) {
  return frame_error_rate(-std::log1p(-ber), 8 * bytes);
}

double Arq::residual_loss() const {
  return std::pow(loss, tries);
}

double Arq::mean_transmissions() const {
  double mean = 0;
  double reach = 1;  // probability that this try is made
  for (std::uint32_t i = 0; i < tries; ++i) {
    mean += reach;
    reach *= loss;
  }
  return mean;
}

std::uint32_t ip_fragments(std::uint64_t payload_bytes, std::uint32_t mtu_bytes) {
  constexpr std::uint32_t kIpHeader = 20;
  constexpr std::uint32_t kUdpHeader = 8;
  constexpr std::uint32_t kUnit = 8;
  assert(mtu_bytes >= kIpHeader + kUnit);
  const std::uint64_t datagram = payload_bytes + kUdpHeader;
  if (datagram + kIpHeader <= mtu_bytes) {
    return 1;
  }
  const std::uint32_t each = (mtu_bytes - kIpHeader) / kUnit * kUnit;
  return static_cast<std::uint32_t>((datagram + each - 1) / each);
}

double fragment_delivery(std::uint32_t fragments, double fragment_loss) {
  return std::exp(fragments * std::log1p(-fragment_loss));
}

double checksum_miss(std::uint32_t covered_bytes, std::uint32_t flips) {
  const double words = (covered_bytes + 1) / 2;
  flips = std::min(flips, kMostFlips);
  std::vector<Residues> ways(flips + 1, Residues(kModulus, 0.0));  // by flips placed so far
  ways[0][0] = 1;
  for (std::uint32_t column = 0; column < kWordBits; ++column) {
    for (std::uint32_t placed = flips; placed > 0; --placed) {  // downwards: the smaller counts are still those before
      for (std::uint32_t here = 1; here <= placed; ++here) {
        add_column(ways[placed - here], ways[placed], words, column, here);
      }
    }
  }
  return ways[flips][0] / choose(words * kWordBits, flips);
}

double undetected_damage(double ber, std::uint32_t covered_bytes) {
  constexpr std::uint32_t kCounted = 4;
  const double bits = 8.0 * covered_bytes;
  double undetected = 0;
  double rest = 1;  // probability of more errors than those counted so far
  double miss = 0;
  for (std::uint32_t errors = 0; errors <= kCounted; ++errors) {
    const double exactly = choose(bits, errors) * std::pow(ber, errors) * std::exp((bits - errors) * std::log1p(-ber));
    miss = errors < 2 ? 0 : checksum_miss(covered_bytes, errors);
    undetected += exactly * miss;
    rest -= exactly;
  }
  return undetected + std::max(0.0, rest) * miss;
}

}  // namespace hilgate
