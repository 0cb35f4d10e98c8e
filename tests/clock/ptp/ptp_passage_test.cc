// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/ptp_passage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <random>
#include <vector>

#include "host/byte_cursor.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using Frame = std::vector<std::byte>;

enum class Shape { kEthernet, kVlan, kIpv4, kIpv6, kIpv4InVlan };
constexpr Shape kShapes[] = {Shape::kEthernet, Shape::kVlan, Shape::kIpv4, Shape::kIpv6, Shape::kIpv4InVlan};

void put16(Frame& frame, std::uint16_t value) {
  frame.push_back(static_cast<std::byte>(value >> 8));
  frame.push_back(static_cast<std::byte>(value & 0xff));
}

std::size_t udp_at(Shape shape) {
  switch (shape) {
    case Shape::kIpv4:
      return 34;
    case Shape::kIpv4InVlan:
      return 38;
    case Shape::kIpv6:
      return 54;
    default:
      return 0;
  }
}

// RFC 768 and RFC 8200, from scratch: pseudo header, UDP header, payload.
std::uint16_t checksum(const Frame& frame, Shape shape) {
  const std::size_t udp = udp_at(shape);
  const std::size_t addresses = shape == Shape::kIpv6 ? 32 : 8;
  std::uint32_t sum = 17 + static_cast<std::uint32_t>(frame.size() - udp);
  for (std::size_t at = udp - addresses; at < frame.size(); at += 2) {
    if (at != udp + 6) {
      sum += load_be<std::uint16_t>(frame, at);
    }
  }
  while (sum >> 16 != 0) {
    sum = (sum & 0xffff) + (sum >> 16);
  }
  const auto result = static_cast<std::uint16_t>(~sum);
  return result == 0 ? 0xffff : result;
}

Frame wrap(const PtpMessage& message, Shape shape, std::uint16_t port = kPtpEventPort) {
  Frame frame(12, std::byte{0x11});
  if (shape == Shape::kVlan || shape == Shape::kIpv4InVlan) {
    put16(frame, 0x8100);
    put16(frame, 100);
  }
  const auto udp_length = static_cast<std::uint16_t>(8 + message.length);
  if (shape == Shape::kIpv4 || shape == Shape::kIpv4InVlan) {
    put16(frame, 0x0800);
    for (const int word : {0x4500, 20 + udp_length, 1, 0x4000, 0x0111, 0, 0x0a4d, 1, 0xe000, 0x0181}) {
      put16(frame, static_cast<std::uint16_t>(word));
    }
  } else if (shape == Shape::kIpv6) {
    put16(frame, 0x86dd);
    for (const std::uint16_t word : {std::uint16_t{0x6000}, std::uint16_t{0}, udp_length, std::uint16_t{0x1101}}) {
      put16(frame, word);
    }
    frame.resize(frame.size() + 32, std::byte{0x7e});
  } else {
    put16(frame, kPtpEthertype);
  }
  if (udp_at(shape) != 0) {
    for (const std::uint16_t word : {port, port, udp_length, std::uint16_t{0}}) {
      put16(frame, word);
    }
  }
  frame.insert(frame.end(), message.span().begin(), message.span().end());
  if (udp_at(shape) != 0) {
    store_be(std::span{frame}, udp_at(shape) + 6, checksum(frame, shape));
  }
  return frame;
}

PtpMessage sync(std::int64_t correction = 0) {
  PtpHeader header;
  header.correction = correction;
  header.source.port = 1;
  return make_sync(header);
}

TEST(PtpPassage, FindsPtpInEveryShape) {
  for (const Shape shape : kShapes) {
    const Frame frame = wrap(sync(), shape);
    const auto place = find_ptp(frame);
    ASSERT_TRUE(place) << static_cast<int>(shape);
    EXPECT_EQ(place->type, PtpType::kSync);
    EXPECT_EQ(place->udp, udp_at(shape));
    EXPECT_EQ(place->message, frame.size() - 44);
  }
}

TEST(PtpPassage, TakesNothingElseForPtp) {
  EXPECT_FALSE(find_ptp(wrap(sync(), Shape::kIpv4, 318)));
  Frame fragment = wrap(sync(), Shape::kIpv4);
  fragment[20] = std::byte{0x20};
  EXPECT_FALSE(find_ptp(fragment));
  Frame tcp = wrap(sync(), Shape::kIpv4);
  tcp[23] = std::byte{6};
  EXPECT_FALSE(find_ptp(tcp));
  Frame version_1 = wrap(sync(), Shape::kEthernet);
  version_1[15] = std::byte{1};
  EXPECT_FALSE(find_ptp(version_1));
  for (const Shape shape : kShapes) {
    const Frame frame = wrap(sync(), shape);
    for (std::size_t length = 0; length < frame.size(); ++length) {
      EXPECT_FALSE(find_ptp(std::span{frame}.first(length)));
    }
  }
}

TEST(PtpPassage, AddsResidenceAndKeepsTheChecksumRight) {
  std::mt19937_64 random{3};
  std::uniform_int_distribution<std::int64_t> residence{0, 10'000'000'000};
  std::uniform_int_distribution<std::int64_t> earlier{-1'000'000'000'000, 1'000'000'000'000};
  for (const Shape shape : kShapes) {
    for (int i = 0; i < 1000; ++i) {
      const std::int64_t before = earlier(random);
      const Nanoseconds spent{residence(random)};
      Frame frame = wrap(sync(before), shape);
      add_residence(frame, *find_ptp(frame), spent);
      EXPECT_EQ(parse_ptp_header(std::span{frame}.last(44))->correction, before + spent.count() * 65536);
      if (udp_at(shape) != 0) {
        EXPECT_EQ(load_be<std::uint16_t>(frame, udp_at(shape) + 6), checksum(frame, shape));
      }
    }
  }
}

TEST(PtpPassage, LeavesAMissingIpv4ChecksumMissing) {
  Frame frame = wrap(sync(), Shape::kIpv4);
  store_be(std::span{frame}, 40, std::uint16_t{0});
  add_residence(frame, *find_ptp(frame), 5us);
  EXPECT_EQ(load_be<std::uint16_t>(frame, 40), 0);
}

TEST(PtpPassage, ACorrectionThatDoesNotFitBecomesUnknown) {
  constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();
  for (const auto& [before, residence] : {std::pair{kUnknown - 1, Nanoseconds{1us}}, {0L, Nanoseconds{48h}}}) {
    Frame frame = wrap(sync(before), Shape::kEthernet);
    add_residence(frame, *find_ptp(frame), residence);
    EXPECT_EQ(parse_ptp_header(std::span{frame}.last(44))->correction, kUnknown);
  }
}

TEST(PtpPassage, EventMessagesTakeResidenceAndOthersDoNot) {
  EXPECT_TRUE(takes_residence(PtpType::kSync));
  EXPECT_TRUE(takes_residence(PtpType::kDelayReq));
  EXPECT_TRUE(takes_residence(PtpType::kPdelayReq));
  EXPECT_TRUE(takes_residence(PtpType::kPdelayResp));
  EXPECT_FALSE(takes_residence(PtpType::kFollowUp));
  EXPECT_FALSE(takes_residence(PtpType::kAnnounce));
}

TEST(PtpPassage, WarnsOfTheAirOnly) {
  EXPECT_TRUE(warning(PtpPassage::kKeep).empty());
  EXPECT_TRUE(warning(PtpPassage::kTransparent).empty());
  EXPECT_THAT(std::string{warning(PtpPassage::kThroughAir)}, ::testing::HasSubstr("simulated medium"));
  EXPECT_EQ(name(PtpPassage::kThroughAir), "air");
}

}  // namespace
}  // namespace hilgate::test
