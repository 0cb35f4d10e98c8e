// SPDX-License-Identifier: Apache-2.0
// What participants of Cyclone DDS 0.10.2 (ddsperf) were seen to send to 239.255.0.1:7400.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/run/telemetry/dds_participants.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kAnnouncement =
    "52545053020101100110dd4f9cc61c17e15b8c7909010800caeb036b00eb2bb6150580010000100000000000000100c200000000"
    "01000000000300002c00180011000000444453506572663a303a393330303a766d00000059005800030000000e0000005f5f5072"
    "6f636573734e616d65000000080000006464737065726600060000005f5f5069640000000500000039333030000000000b000000"
    "5f5f486f73746e616d65000003000000766d00000000000015000400020100001600040001100000020008000a00000000000000"
    "500010000110dd4f9cc61c17e15b8c79000001c1580004003ffc00000f00040000000000310018000100000038b2000000000000"
    "00000000000000000a0500014800180001000000e91c0000000000000000000000000000efff0001320018000100000038b20000"
    "0000000000000000000000000a0500013300180001000000e81c0000000000000000000000000000efff00010780300000000000"
    "2c00000000000000000000000000000016000000766d2f302e31302e322f4c696e75782f4c696e75780000001980040000002000"
    "01000000";
constexpr std::string_view kFarewell =
    "52545053020101100110dd4f9cc61c17e15b8c7909010800cceb036ba5bd24bc150b3c000000100000000000000100c200000000"
    "0200000071000400000000030100000000030000500010000110dd4f9cc61c17e15b8c79000001c101000000";

std::vector<std::byte> datagram(std::string_view digits) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned value = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
    bytes.push_back(static_cast<std::byte>(value));
  }
  return bytes;
}

TEST(DdsAnnouncement, OfCyclone) {
  const auto read = read_dds_announcement(datagram(kAnnouncement));
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->leaves);
  EXPECT_EQ(dds_vendor_name(read->vendor), "Cyclone DDS");
  EXPECT_EQ(read->process, "ddsperf");
  EXPECT_EQ(read->host, "vm");
  EXPECT_EQ(read->lease, 10s);
  EXPECT_EQ(read->prefix[0], 0x01);
  EXPECT_EQ(read->prefix[11], 0x79);
}

TEST(DdsAnnouncement, AFarewell) {
  const auto read = read_dds_announcement(datagram(kFarewell));
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->leaves);
  EXPECT_EQ(read->prefix, read_dds_announcement(datagram(kAnnouncement))->prefix);
}

TEST(DdsAnnouncement, TruncatedAnnouncementKeepsItsFields) {
  const auto whole = datagram(kAnnouncement);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto read = read_dds_announcement(std::span(whole).first(length));
    EXPECT_LE(read ? read->process.size() : 0, 7U) << length;
  }
  EXPECT_FALSE(read_dds_announcement(std::span(whole).first(20))) << "a header alone";
}

TEST(DdsAnnouncement, OtherDatagramsAreRefused) {
  EXPECT_FALSE(read_dds_announcement({}));
  auto other = datagram(kAnnouncement);
  other[20 + 12 + 4 + 11] = std::byte{0xC7};  // another writer
  EXPECT_FALSE(read_dds_announcement(other));
  other = datagram(kAnnouncement);
  other[0] = std::byte{'X'};
  EXPECT_FALSE(is_rtps(other));
  EXPECT_FALSE(read_dds_announcement(other));
}

TEST(DdsVendor, WithoutANameIsANumber) {
  EXPECT_EQ(dds_vendor_name(0x017F), "vendor 01.7F");
}

TEST(DdsParticipants, ComeStayAndLeave) {
  DdsParticipants participants;
  const HostTime start{1000s};
  auto one = *read_dds_announcement(datagram(kAnnouncement));
  participants.take("red", 0, one, start);
  participants.take("red", 0, one, start + 3s);
  auto other = one;
  other.prefix[0] ^= 1;
  other.lease = std::nullopt;
  participants.take("blue", 7, other, start + 3s);
  auto now = participants.status(start + 5s);
  ASSERT_EQ(now.participants.size(), 2U);
  EXPECT_EQ(now.participants[1].robot, "red");
  EXPECT_EQ(now.participants[1].announcements, 2U);
  EXPECT_EQ(now.participants[1].here_s, 5.0);
  EXPECT_EQ(now.participants[1].silent_s, 2.0);
  EXPECT_EQ(now.participants[0].domain, 7U);

  now = participants.status(start + 14s);
  ASSERT_EQ(now.participants.size(), 1U) << "silent for longer than its lease of 10 s";
  EXPECT_EQ(now.participants[0].robot, "blue");
  EXPECT_EQ(now.silent, 1U);

  other.leaves = true;
  participants.take("blue", 7, other, start + 15s);
  now = participants.status(start + 15s);
  EXPECT_TRUE(now.participants.empty());
  EXPECT_EQ(now.left, 1U);
}

TEST(DdsParticipants, AreBounded) {
  DdsParticipants participants;
  auto one = *read_dds_announcement(datagram(kAnnouncement));
  for (unsigned i = 0; i < DdsParticipants::kMost + 5; ++i) {
    one.prefix[0] = static_cast<std::uint8_t>(i);
    one.prefix[1] = static_cast<std::uint8_t>(i >> 8);
    participants.take("red", 0, one, HostTime{1s});
  }
  EXPECT_EQ(participants.status(HostTime{1s}).participants.size(), DdsParticipants::kMost);
  EXPECT_EQ(participants.status(HostTime{1s}).refused, 5U);
  one.prefix[2] ^= 1;
  participants.take("red", 0, one, HostTime{60s});
  EXPECT_EQ(participants.status(HostTime{60s}).participants.size(), 1U) << "those that fell silent make room";
}

std::size_t count_of(const DdsStatus& status, const std::string& robot) {
  return static_cast<std::size_t>(std::ranges::count(status.participants, robot, &DdsParticipantStatus::robot));
}

TEST(DdsParticipants, OfOneRobotLeaveRoomForOthers) {
  DdsParticipants participants;
  auto one = *read_dds_announcement(datagram(kAnnouncement));
  one.lease = std::nullopt;
  const auto announce = [&](const std::string& robot, unsigned count, HostTime at) {
    for (unsigned i = 0; i < count; ++i) {
      one.prefix[0] = static_cast<std::uint8_t>(i);
      one.prefix[1] = static_cast<std::uint8_t>(i >> 8);
      participants.take(robot, 0, one, at);
    }
  };
  announce("green", 20, HostTime{1s});
  announce("mallory", 5000, HostTime{2s});
  announce("red", 20, HostTime{3s});
  announce("mallory", 5000, HostTime{4s});
  const auto now = participants.status(HostTime{4s});
  EXPECT_EQ(now.participants.size(), DdsParticipants::kMost);
  EXPECT_EQ(count_of(now, "green"), 20U);
  EXPECT_EQ(count_of(now, "red"), 20U);
}

TEST(DdsParticipants, AreTheirRobotsAlone) {
  DdsParticipants participants;
  auto one = *read_dds_announcement(datagram(kAnnouncement));
  participants.take("red", 0, one, HostTime{1s});
  participants.take("mallory", 0, one, HostTime{2s});
  one.leaves = true;
  participants.take("mallory", 0, one, HostTime{3s});
  const auto now = participants.status(HostTime{3s});
  EXPECT_EQ(now.left, 1U);
  EXPECT_EQ(count_of(now, "red"), 1U) << "another robot neither takes it over nor says farewell for it";
}

}  // namespace
}  // namespace hilgate::test
