// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/rosnetsim/rosnetsim_compat.h"

#include <algorithm>
#include <cmath>

namespace hilgate::rosnetsim {
namespace {

constexpr std::size_t kHeader = 20;
constexpr std::size_t kChecksumAt = 10;
constexpr std::size_t kDestinationAt = 16;
constexpr std::size_t kUdpChecksumAt = 26;

// Trials up to and including the first success, 1, 2, ...: the support of numpy's geometric.
double geometric(double p, FrameRandom& random) {
  return std::ceil(std::log(random.uniform()) / std::log1p(-p));
}

}  // namespace

bool compat_flip(std::span<std::byte> packet, double ber, FrameRandom& random) {
  if (!(ber >= 0 && ber < 1)) {
    return false;
  }
  if (ber == 0) {
    return true;
  }
  std::size_t cursor = 0;
  while (true) {
    const double gap = std::max(1.0, geometric(ber, random));
    if (gap / 8 >= static_cast<double>(packet.size() - cursor)) {
      return true;
    }
    const auto bits = static_cast<std::size_t>(gap);
    cursor += bits / 8;
    if (cursor >= packet.size()) {
      return true;
    }
    if (cursor < kHeader) {
      return false;
    }
    // The remainder is forgotten: the next gap counts from this byte's first bit again. That is the reference's bias.
    packet[cursor] ^= static_cast<std::byte>(1U << (bits % 8));
  }
}

void compat_readdress(std::span<std::byte> packet, std::uint32_t rx_ip) {
  if (packet.size() < kUdpChecksumAt + 2) {
    return;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    packet[kDestinationAt + i] = static_cast<std::byte>(rx_ip >> (24 - 8 * i));
  }
  packet[kChecksumAt] = packet[kChecksumAt + 1] = std::byte{0};
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < kHeader; i += 2) {
    sum += (std::to_integer<std::uint32_t>(packet[i]) << 8) | std::to_integer<std::uint32_t>(packet[i + 1]);
  }
  while ((sum >> 16) != 0) {
    sum = (sum & 0xffff) + (sum >> 16);
  }
  const std::uint32_t checksum = ~sum & 0xffff;
  packet[kChecksumAt] = static_cast<std::byte>(checksum >> 8);
  packet[kChecksumAt + 1] = static_cast<std::byte>(checksum & 0xff);
  packet[kUdpChecksumAt] = packet[kUdpChecksumAt + 1] = std::byte{0};
}

}  // namespace hilgate::rosnetsim
