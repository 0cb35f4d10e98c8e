// SPDX-License-Identifier: Apache-2.0
#include "path/fate/damage.h"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <random>

#include "tests/support/packets.h"
#include "tests/support/statistics.h"

namespace hilgate::test {
namespace {

Layer2 layer2(std::vector<VlanTag> tags = {}) {
  return {.destination = mac_of(2), .source = mac_of(1), .tags = std::move(tags)};
}

ExposedBytes exposed_of(const Bytes& frame, ErrorPolicy policy) {
  return exposed_bytes(frame, static_cast<std::uint32_t>(frame.size()), policy);
}

std::vector<std::uint64_t> flipped_bits(const Bytes& before, const Bytes& after) {
  std::vector<std::uint64_t> bits;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const auto change = std::to_integer<unsigned>(before[i] ^ after[i]);
    for (unsigned bit = 0; bit < 8; ++bit) {
      if ((change >> bit & 1) != 0) {
        bits.push_back(8 * i + bit);
      }
    }
  }
  return bits;
}

// The errors that a note stands for, walked here once more.
std::vector<std::uint64_t> noted_bits(DamageNote note) {
  std::vector<std::uint64_t> bits;
  const std::uint64_t count = note.exposed.bits();
  for (std::uint64_t at = 0; at < count; ++at) {
    at += note.meter.next_error(count - at, note.hazard, note.random);
    if (at < count) {
      bits.push_back(8ULL * note.exposed.begin + at);
    }
  }
  return bits;
}

TEST(Exposed, AfterTheMacHeaderWithNetworkHeadersProtected) {
  struct Row {
    Bytes frame;
    std::uint32_t begin;
    std::uint32_t raw;     // first byte that may be delivered damaged, corrupt_raw
    std::uint32_t fixsum;  // the same, corrupt_fixsum
  };
  const Layer3 v6{.source = "fd77::1", .destination = "fd77::2"};
  const std::vector<Row> rows = {
      {ip_frame(layer2(), {}, 17, udp(payload(100))), 14, 34, 42},
      {ip_frame(layer2(), {.options = Bytes(8, 1)}, 6, tcp(payload(100), 12)), 14, 42, 74},
      {ip_frame(layer2({{0x8100, 5}}), v6, 58, icmp(payload(100))), 18, 58, 66},
      {ip_frame(layer2(), v6, 136, udp_lite(payload(100), 8)), 14, 54, 62},
      {ip_frame(layer2(), {.fragment = 0x2000}, 17, udp(payload(100))), 14, 34, 34},
      {ethernet(layer2(), 0x88F7, payload(100)), 14, 14, 14},
      {arp_request(layer2(), 1, 2), 14, 42, 42},
      {ethernet(layer2(), 0x0800, payload(10, 3)), 14, 14, 14},  // no room for an IP header: payload
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ExposedBytes raw = exposed_of(rows[i].frame, ErrorPolicy::kCorruptRaw);
    const ExposedBytes fixsum = exposed_of(rows[i].frame, ErrorPolicy::kCorruptFixsum);
    EXPECT_EQ(raw.begin, rows[i].begin) << "row " << i;
    EXPECT_EQ(raw.payload, rows[i].raw) << "row " << i;
    EXPECT_EQ(raw.end, rows[i].frame.size()) << "row " << i;
    EXPECT_EQ(fixsum.payload, rows[i].fixsum) << "row " << i;
  }
}

TEST(Damage, FlipsExactlyTheScannedBitsAndNoProtectedOnes) {
  std::mt19937_64 random(5);
  ErrorMeter meter(FrameRandom(5, 1, ~0ULL));
  std::vector<std::uint64_t> where(64);
  std::uint64_t delivered = 0;
  std::uint64_t hit = 0;
  constexpr BitHazard kHazard{1e-3};
  for (std::uint64_t number = 0; number < 20'000; ++number) {
    const Bytes before = udp_frame(1, 2, 214, number);  // 256 bytes, 214 of them may be damaged
    const ExposedBytes exposed = exposed_of(before, ErrorPolicy::kCorruptFixsum);
    const DamageNote note{meter, kHazard, FrameRandom(5, 1, number), exposed, false};
    const DamageScan scan = scan_errors(meter, kHazard, exposed, note.random);
    const auto noted = noted_bits(note);
    ASSERT_EQ(scan.errors, noted.size());
    ASSERT_EQ(scan.header_hit, !noted.empty() && noted.front() < 8ULL * exposed.payload);
    if (scan.header_hit) {
      ++hit;
      continue;
    }
    Bytes after = before;
    FrameBytes bytes;
    bytes.append(after);
    apply_errors(note, bytes);
    ASSERT_EQ(flipped_bits(before, after), noted);
    for (const std::uint64_t bit : noted) {
      ++where[(bit - 8ULL * exposed.payload) * where.size() / (8ULL * 214)];
    }
    delivered += noted.empty() ? 0 : 1;
  }
  EXPECT_GT(delivered, 1000U);
  EXPECT_GT(binomial_tails(hit, 20'000, -std::expm1(-8 * 28 * kHazard.per_bit)), 1e-3);
  // 8 * 214 bits do not divide by 64: expect what each bin has of them.
  std::vector<double> expected(where.size());
  const double total = static_cast<double>(std::accumulate(where.begin(), where.end(), std::uint64_t{0}));
  for (std::uint64_t bit = 0; bit < 8 * 214; ++bit) {
    expected[bit * where.size() / (8 * 214)] += total / (8 * 214);
  }
  EXPECT_GT(chi_square_tail(where, expected), 1e-3) << "positions are not uniform";
}

TEST(Damage, BerOneFlipsEveryExposedBit) {
  const Bytes before = ethernet(layer2(), 0x88F7, payload(50));
  const BitHazard all{std::numeric_limits<double>::infinity()};
  const DamageNote note{ErrorMeter(FrameRandom(1, 1, 0)), all, FrameRandom(1, 1, 1),
                        exposed_of(before, ErrorPolicy::kCorruptRaw)};
  Bytes after = before;
  FrameBytes bytes;
  bytes.append(after);
  apply_errors(note, bytes);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ(after[i], i < 14 ? before[i] : ~before[i]) << i;
  }
}

TEST(Damage, ArpIsNeverDeliveredDamaged) {
  const Bytes frame = arp_request(layer2(), 1, 2);
  for (const auto policy : {ErrorPolicy::kCorruptRaw, ErrorPolicy::kCorruptFixsum}) {
    const ExposedBytes exposed = exposed_of(frame, policy);
    ErrorMeter meter(FrameRandom(1, 1, 0));
    int hits = 0;
    for (std::uint64_t i = 0; i < 5000; ++i) {
      const DamageScan scan = scan_errors(meter, {1e-3}, exposed, FrameRandom(1, 1, i));
      ASSERT_EQ(scan.header_hit, scan.errors > 0);
      hits += scan.header_hit ? 1 : 0;
    }
    EXPECT_GT(hits, 0);
  }
}

TEST(Damage, SegmentsMakeNoDifference) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 500; ++round) {
    const Bytes before = udp_frame(1, 2, 300, random());
    const DamageNote note{ErrorMeter(FrameRandom(random(), 1, 0)),
                          {5e-3},
                          FrameRandom(random(), 1, 1),
                          ExposedBytes{42, 42, static_cast<std::uint32_t>(before.size())},
                          true};
    Bytes whole = before;
    FrameBytes one;
    one.append(whole);
    apply_errors(note, one);

    std::vector<Bytes> parts;
    std::size_t at = 0;
    std::size_t size = 42 + random() % 30;  // the headers lie in the first segment
    while (at < before.size()) {
      size = std::min(size, before.size() - at);
      parts.emplace_back(before.begin() + static_cast<std::ptrdiff_t>(at),
                         before.begin() + static_cast<std::ptrdiff_t>(at + size));
      at += size;
      size = parts.size() == 3 ? 0 : 20 + random() % 100;  // an empty segment among them
    }
    FrameBytes many;
    for (Bytes& part : parts) {
      many.append(part);
    }
    ASSERT_EQ(many.length(), before.size());
    apply_errors(note, many);
    Bytes joined;
    for (const Bytes& part : parts) {
      joined.insert(joined.end(), part.begin(), part.end());
    }
    ASSERT_EQ(joined, whole);
  }
}

// More segments than FrameBytes takes: what lies beyond keeps its bytes, and nothing else happens.
TEST(Damage, SegmentsBeyondTheLimitAreLeftAlone) {
  Bytes frame = ethernet(layer2(), 0x88F7, payload(500));
  const Bytes before = frame;
  FrameBytes bytes;
  for (std::size_t at = 0; at < frame.size(); at += 20) {
    bytes.append(std::span(frame).subspan(at, std::min<std::size_t>(20, frame.size() - at)));
  }
  ASSERT_EQ(bytes.length(), 20 * FrameBytes::kMaxSegments);
  const DamageNote note{ErrorMeter(FrameRandom(1, 1, 0)),
                        {std::numeric_limits<double>::infinity()},
                        FrameRandom(1, 1, 1),
                        exposed_of(frame, ErrorPolicy::kCorruptRaw)};
  apply_errors(note, bytes);
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ASSERT_EQ(frame[i], i >= 14 && i < bytes.length() ? ~before[i] : before[i]) << i;
  }
}

TEST(FrameBytes, OfNothingIsEmpty) {
  const FrameBytes bytes;
  EXPECT_EQ(bytes.length(), 0U);
  EXPECT_TRUE(bytes.head().empty());
}

}  // namespace
}  // namespace hilgate::test
