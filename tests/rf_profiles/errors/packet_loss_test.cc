// SPDX-License-Identifier: Apache-2.0
// The values of the oracle tables are asserted by oracle_test; here what they do not list.
#include "rf_profiles/errors/packet_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "frame/checksum.h"
#include "rf_profiles/numeric/random.h"

namespace hilgate::test {
namespace {

TEST(PacketLoss, IsNothingWithoutErrorsAndAllWithNothingButErrors) {
  EXPECT_EQ(frame_loss(0, 1500), 0);
  EXPECT_EQ(frame_loss(1, 1500), 1);
  EXPECT_EQ((Arq{0, 4}.residual_loss()), 0);
  EXPECT_EQ((Arq{0, 4}.mean_transmissions()), 1);
  EXPECT_EQ((Arq{1, 4}.residual_loss()), 1);
  EXPECT_EQ((Arq{1, 4}.mean_transmissions()), 4);
  EXPECT_EQ(fragment_delivery(45, 0), 1);
  EXPECT_EQ(fragment_delivery(45, 1), 0);
  EXPECT_EQ(undetected_damage(0, 128), 0);
}

TEST(PacketLoss, CountsFragmentsByTheMtu) {
  EXPECT_EQ(ip_fragments(1472, 1500), 1u);
  EXPECT_EQ(ip_fragments(1473, 1500), 2u);
  EXPECT_EQ(ip_fragments(65536, 1500), 45u);
  EXPECT_EQ(ip_fragments(100, 68), 3u);  // 108 bytes, 48 in each
}

TEST(PacketLoss, ChecksumMissesTwoFlipsInOneColumnOfOppositeSign) {
  for (const std::uint32_t bytes : {40u, 128u, 1460u}) {
    const double words = bytes / 2.0;
    EXPECT_NEAR(checksum_miss(bytes, 2), 0.5 * (words - 1) / (16 * words - 1), 1e-12);
  }
  EXPECT_EQ(checksum_miss(128, 1), 0);
}

std::uint32_t ones_complement_sum(const std::vector<std::uint16_t>& words) {
  std::uint64_t sum = 0;
  for (const std::uint16_t word : words) {
    sum += word;
  }
  return static_cast<std::uint32_t>(sum % 65535);
}

TEST(PacketLoss, ChecksumMissAgreesWithDamagedPackets) {
  constexpr std::uint32_t kWords = 4;
  constexpr int kPackets = 400'000;
  int missed = 0;
  for (int packet = 0; packet < kPackets; ++packet) {
    FrameRandom random(7, 0, static_cast<std::uint64_t>(packet));
    std::vector<std::uint16_t> words(kWords);
    for (std::uint16_t& word : words) {
      word = static_cast<std::uint16_t>(random.next64());
    }
    const std::uint32_t before = ones_complement_sum(words);
    std::uint64_t flipped = 0;
    while (__builtin_popcountll(flipped) < 3) {
      flipped |= std::uint64_t{1} << random.below(16 * kWords);
    }
    for (std::uint32_t i = 0; i < kWords; ++i) {
      words[i] = static_cast<std::uint16_t>(words[i] ^ (flipped >> (16 * i)));
    }
    missed += ones_complement_sum(words) == before ? 1 : 0;
  }
  const double expected = checksum_miss(2 * kWords, 3);
  EXPECT_NEAR(missed / double{kPackets}, expected, 5 * std::sqrt(expected / kPackets));
}

TEST(PacketLoss, UndetectedDamageGrowsWithTheSquareOfTheErrorRate) {
  const double rare = undetected_damage(1e-7, 128);
  EXPECT_NEAR(undetected_damage(1e-6, 128) / rare, 100, 1);
  EXPECT_LT(undetected_damage(0.01, 128), 1.0 / 32);
}

TEST(Crc, DoesNotCareHowItsInputIsCut) {
  constexpr std::string_view kText = "123456789";
  const auto bytes = std::as_bytes(std::span(kText));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(EthernetCrc().add(bytes.first(cut)).add(bytes.subspan(cut)).value(), 0xCBF43926u);
    EXPECT_EQ(Crc32c().add(bytes.first(cut)).add(bytes.subspan(cut)).value(), 0xE3069283u);
    EXPECT_EQ(MavlinkCrc().add(bytes.first(cut)).add(bytes.subspan(cut)).value(), 0x6F91u);
  }
}

}  // namespace
}  // namespace hilgate::test
