// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/rosnetsim/rosnetsim_compat.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace hilgate::rosnetsim {
namespace {

std::size_t bits_set(std::span<const std::byte> bytes) {
  std::size_t bits = 0;
  for (const std::byte byte : bytes) {
    bits += static_cast<std::size_t>(std::popcount(std::to_integer<unsigned>(byte)));
  }
  return bits;
}

TEST(RosNetSimCompat, RateZeroKeepsEveryBitAndInvalidRatesDrop) {
  std::vector<std::byte> packet(1500);
  FrameRandom random(1, 2, 3);
  EXPECT_TRUE(compat_flip(packet, 0, random));
  EXPECT_EQ(bits_set(packet), 0U);
  for (const double ber : {1.0, -0.1, 2.0, std::nan("")}) {
    EXPECT_FALSE(compat_flip(packet, ber, random)) << ber;
  }
}

// The reference's Monte Carlo at 1500 bytes. Counting net flips of whole packets would mix in the
// header rule, so the header is taken out of the statistics: only packets that survive are counted, on their payload.
TEST(RosNetSimCompat, TheRateIsRightAtLowRates) {
  const double ber = 1e-4;
  std::size_t flips = 0;
  std::size_t bits = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::vector<std::byte> packet(1500);
    FrameRandom random(7, 0, i);
    if (compat_flip(packet, ber, random)) {
      flips += bits_set(packet);
      bits += (packet.size() - 20) * 8;
    }
  }
  const double rate = static_cast<double>(flips) / static_cast<double>(bits);
  EXPECT_NEAR(rate / ber, 1.0, 0.02);
}

TEST(RosNetSimCompat, AHitInTheFirstTwentyBytesDropsAtTheExpectedRate) {
  const double ber = 1e-3;
  int dropped = 0;
  constexpr int kPackets = 20'000;
  for (std::uint64_t i = 0; i < kPackets; ++i) {
    std::vector<std::byte> packet(100);
    FrameRandom random(9, 0, i);
    dropped += compat_flip(packet, ber, random) ? 0 : 1;
  }
  // Bit 0 of byte 0 can never flip, so 159 bits count.
  const double expected = 1 - std::pow(1 - ber, 159);
  EXPECT_NEAR(dropped / static_cast<double>(kPackets), expected, 4 * std::sqrt(expected / kPackets));
}

TEST(RosNetSimCompat, ReaddressesABroadcast) {
  std::vector<std::byte> packet(40, std::byte{0x11});
  const unsigned header[20] = {0x45, 0, 0, 40, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0, 192, 168, 0, 1, 255, 255, 255, 255};
  for (std::size_t i = 0; i < 20; ++i) {
    packet[i] = static_cast<std::byte>(header[i]);
  }
  compat_readdress(packet, 0xC0A80002);
  EXPECT_EQ(packet[16], std::byte{192});
  EXPECT_EQ(packet[19], std::byte{2});
  EXPECT_EQ(packet[26], std::byte{0});
  EXPECT_EQ(packet[27], std::byte{0});
  EXPECT_EQ(packet[28], std::byte{0x11});
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < 20; i += 2) {
    sum += (std::to_integer<std::uint32_t>(packet[i]) << 8) | std::to_integer<std::uint32_t>(packet[i + 1]);
  }
  EXPECT_EQ((sum & 0xffff) + (sum >> 16), 0xffffU) << "the header's checksum is right";
}

TEST(RosNetSimCompat, PacketsTooShortForTheRuleStayAsTheyAre) {
  std::vector<std::byte> packet(27, std::byte{0x11});
  compat_readdress(packet, 1);
  EXPECT_EQ(packet, std::vector<std::byte>(27, std::byte{0x11}));
}

}  // namespace
}  // namespace hilgate::rosnetsim
