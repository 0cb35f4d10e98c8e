// SPDX-License-Identifier: Apache-2.0
#include "gateway/site/site_packet.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "host/byte_cursor.h"

namespace hilgate::test {
namespace {

constexpr WallTime kSent{Nanoseconds{1'795'510'000'000'000'123}};

SitePacket frame() {
  return {.kind = SitePacket::Kind::kFrame,
          .gateway = 2,
          .digest = 0x1122334455667788,
          .epoch = 0x18EA'0000'0000'0001,
          .sequence = 77,
          .sent = kSent,
          .instant = kSent + Nanoseconds{2'000'000},
          .sender = 3,
          .receiver = 65535,
          .loose = true,
          .ptp = false};
}

std::vector<std::byte> datagram(const SitePacket& packet, std::uint32_t network = 5, std::size_t payload = 60) {
  std::vector<std::byte> bytes(kSiteHeader + payload, std::byte{0x5a});
  write_site_header(packet, network, std::span(bytes).first<kSiteHeader>());
  return bytes;
}

SiteFault fault_of(const std::vector<std::byte>& bytes) {
  return parse_site_packet(bytes, 5).fault;
}

}  // namespace

TEST(SitePacketTest, WrittenDataIsReadBack) {
  const auto parsed = parse_site_packet(datagram(frame()), 5);
  ASSERT_EQ(parsed.fault, SiteFault::kNone);
  EXPECT_EQ(parsed.payload, kSiteHeader);
  const SitePacket& read = parsed.packet;
  EXPECT_EQ(read.kind, SitePacket::Kind::kFrame);
  EXPECT_EQ(read.gateway, 2);
  EXPECT_EQ(read.digest, 0x1122334455667788U);
  EXPECT_EQ(read.epoch, 0x18EA000000000001U);
  EXPECT_EQ(read.sequence, 77U);
  EXPECT_EQ(read.sent, kSent);
  EXPECT_EQ(read.instant, kSent + Nanoseconds{2'000'000});
  EXPECT_EQ(read.sender, 3);
  EXPECT_EQ(read.receiver, 65535);
  EXPECT_TRUE(read.loose);
  EXPECT_FALSE(read.ptp);
  EXPECT_FALSE(read.all);
}

TEST(SitePacketTest, RequestNamesItsAddressee) {
  for (const bool all : {false, true}) {
    SitePacket request = frame();
    request.kind = SitePacket::Kind::kRequest;
    request.loose = false;
    request.all = all;
    const auto bytes = datagram(request);
    EXPECT_EQ(bytes[1], std::byte{0x40}) << "for GENEVE it is data";
    const auto parsed = parse_site_packet(bytes, 5);
    ASSERT_EQ(parsed.fault, SiteFault::kNone);
    EXPECT_EQ(parsed.packet.kind, SitePacket::Kind::kRequest);
    EXPECT_TRUE(parsed.packet.has_frame());
    EXPECT_EQ(parsed.packet.instant, request.instant);
    EXPECT_EQ(parsed.packet.all, all);
    EXPECT_FALSE(parsed.packet.loose);
  }
}

// RFC 8926, 3.4: version 0, C set, O of control packets, Ethernet inside, VNI; 3.5: the option.
TEST(SitePacketTest, HeadersAreGeneve) {
  SitePacket beacon = frame();
  beacon.kind = SitePacket::Kind::kBeacon;
  const auto bytes = datagram(beacon, 0xabcdef);
  EXPECT_EQ(bytes[0], std::byte{kSiteOption / 4});
  EXPECT_EQ(bytes[1], std::byte{0xc0});
  EXPECT_EQ(datagram(frame())[1], std::byte{0x40});
  EXPECT_EQ(load_be<std::uint16_t>(bytes, 2), 0x6558);
  EXPECT_EQ(load_be<std::uint32_t>(bytes, 4), 0xabcdef00U);
  EXPECT_EQ(load_be<std::uint16_t>(bytes, 8), 0xfff7);
  EXPECT_EQ(bytes[10], std::byte{0x81});
  EXPECT_EQ(std::to_integer<std::size_t>(bytes[11]) * 4, kSiteOption - 4);
}

TEST(SitePacketTest, EveryTruncationIsRefused) {
  const auto whole = datagram(frame(), 5, 0);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_EQ(fault_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)}), SiteFault::kTruncated)
        << length;
  }
}

TEST(SitePacketTest, OtherNetworksAndVersionsAreReported) {
  EXPECT_EQ(fault_of(datagram(frame(), 6)), SiteFault::kForeign);
  auto geneve = datagram(frame());
  geneve[0] |= std::byte{0x40};
  EXPECT_EQ(fault_of(geneve), SiteFault::kNotGeneve);
  auto option = datagram(frame());
  option[12] = std::byte{2};
  EXPECT_EQ(fault_of(option), SiteFault::kVersion);
  auto kind = datagram(frame());
  kind[13] = std::byte{3};
  EXPECT_EQ(fault_of(kind), SiteFault::kVersion);
  auto payload = datagram(frame());
  payload[3] = std::byte{0x59};
  EXPECT_EQ(fault_of(payload), SiteFault::kNotGeneve);
}

TEST(SitePacketTest, ForeignOptionsAreSkippedUnlessTheyAreCritical) {
  for (const bool critical : {false, true}) {
    auto bytes = datagram(frame());
    const std::array<std::byte, 8> other = {std::byte{1}, std::byte{2}, critical ? std::byte{0x83} : std::byte{3},
                                            std::byte{1}};
    bytes.insert(bytes.begin() + kGeneveHeader, other.begin(), other.end());
    bytes[0] = std::byte{(kSiteOption + other.size()) / 4};
    const auto parsed = parse_site_packet(bytes, 5);
    EXPECT_EQ(parsed.fault, critical ? SiteFault::kForeign : SiteFault::kNone);
    EXPECT_EQ(parsed.payload, critical ? 0 : kSiteHeader + other.size());
  }
}

TEST(SitePacketTest, OptionsThatDoNotAddUpAreRefused) {
  auto longer = datagram(frame());
  longer[11] = std::byte{31};
  EXPECT_EQ(fault_of(longer), SiteFault::kNotGeneve);
  auto shorter = datagram(frame());
  shorter[11] = std::byte{0};
  EXPECT_EQ(fault_of(shorter), SiteFault::kVersion);
  auto none = datagram(frame());
  none[0] = std::byte{0};
  EXPECT_EQ(fault_of(none), SiteFault::kForeign);
}

TEST(SitePacketTest, InstantsThatCannotBeComputedWithAreRefused) {
  for (const std::int64_t ns : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, std::int64_t{1} << 61,
                                std::numeric_limits<std::int64_t>::max()}) {
    SitePacket packet = frame();
    packet.instant = WallTime{Nanoseconds{ns}};
    EXPECT_EQ(fault_of(datagram(packet)), SiteFault::kInstant) << ns;
  }
}

TEST(BeaconWordsTest, AreReadAsWrittenWithPrintableCharactersOnly) {
  BeaconWords words{.echo_sent = kSent, .echo_heard = kSent + Nanoseconds{1}, .files = 77, .version = {}};
  words.set_version("0.9\n<script>");
  std::array<std::byte, BeaconWords::kBytes> bytes{};
  words.write(bytes);
  const auto read = BeaconWords::parse(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->echo_sent, kSent);
  EXPECT_EQ(read->echo_heard, kSent + Nanoseconds{1});
  EXPECT_EQ(read->files, 77U);
  EXPECT_EQ(read->version_text(), "0.9");
  EXPECT_FALSE(BeaconWords::parse(std::span(bytes).first(BeaconWords::kBytes - 1)));
}

TEST(BeaconWordsTest, LongVersionIsTruncated) {
  BeaconWords words;
  words.set_version(std::string(100, 'v'));
  EXPECT_EQ(words.version_text(), std::string(BeaconWords::kVersion, 'v'));
}

}  // namespace hilgate::test
