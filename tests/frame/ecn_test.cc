// SPDX-License-Identifier: Apache-2.0
#include "frame/headers.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kEthernetBytes = 14;

Bytes ipv4_with(unsigned traffic_class, std::uint16_t identification = 0) {
  Bytes frame = udp_frame(1, 2, 20);
  frame[kEthernetBytes + 1] = static_cast<std::byte>(traffic_class);
  put16(frame, kEthernetBytes + 4, identification);
  put16(frame, kEthernetBytes + 10, 0);
  const std::span<const std::byte> header(frame.data() + kEthernetBytes, 20);
  put16(frame, kEthernetBytes + 10, static_cast<std::uint16_t>(~ones_sum(header)));
  return frame;
}
bool header_checksum_right(const Bytes& frame) {
  return ones_sum(std::span<const std::byte>(frame.data() + kEthernetBytes, 20)) == 0xFFFF;
}
Bytes ipv6_with(unsigned traffic_class) {
  Bytes frame(kEthernetBytes + 40 + 8, 0);
  put16(frame, 12, 0x86DD);
  put16(frame, kEthernetBytes, static_cast<std::uint16_t>(0x6000 | (traffic_class << 4) | 0x5));
  put16(frame, kEthernetBytes + 2, 0x4321);
  put16(frame, kEthernetBytes + 4, 8);
  frame[kEthernetBytes + 6] = std::byte{17};
  return frame;
}

TEST(EcnTest, IsReadFromBothVersions) {
  for (unsigned traffic_class = 0; traffic_class < 256; ++traffic_class) {
    EXPECT_EQ(ecn_of(ipv4_with(traffic_class)), Ecn(traffic_class % 4));
    EXPECT_EQ(ecn_of(ipv6_with(traffic_class)), Ecn(traffic_class % 4));
  }
  Bytes arp = ipv4_with(3);
  put16(arp, 12, 0x0806);
  EXPECT_EQ(ecn_of(arp), Ecn::kNotCapable);
  EXPECT_EQ(ecn_of(std::span(arp).first(10)), Ecn::kNotCapable);
}

TEST(EcnTest, CongestionChangesTwoBitsAndTheChecksumFollows) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    const unsigned traffic_class = random() % 256;
    const Bytes before = ipv4_with(traffic_class, static_cast<std::uint16_t>(random()));
    Bytes after = before;
    set_congestion(after);
    EXPECT_EQ(ecn_of(after), Ecn::kCongestion);
    ASSERT_TRUE(header_checksum_right(after));
    Bytes undone = after;
    undone[kEthernetBytes + 1] = before[kEthernetBytes + 1];
    put16(undone, kEthernetBytes + 10, get16(before, kEthernetBytes + 10));
    EXPECT_EQ(undone, before);
    EXPECT_EQ(std::to_integer<unsigned>(after[kEthernetBytes + 1]) / 4, traffic_class / 4);
  }
}

TEST(EcnTest, OfIpv6NothingElseChanges) {
  for (unsigned traffic_class = 0; traffic_class < 256; ++traffic_class) {
    Bytes frame = ipv6_with(traffic_class);
    set_congestion(frame);
    EXPECT_EQ(frame, ipv6_with(traffic_class | 3));
  }
}

TEST(EcnTest, FlowsGoByAddressesProtocolAndPorts) {
  const Bytes one = udp_frame(1, 2, 20);
  EXPECT_EQ(flow_number(one), flow_number(udp_frame(1, 2, 400, 5)));
  EXPECT_NE(flow_number(one), flow_number(udp_frame(2, 1, 20)));
  Bytes other_port = one;
  put16(other_port, kEthernetBytes + 20, static_cast<std::uint16_t>(get16(one, kEthernetBytes + 20) + 1));
  EXPECT_NE(flow_number(one), flow_number(other_port));
  Bytes fragment = one;
  Bytes other_fragment = other_port;
  put16(fragment, kEthernetBytes + 6, 0x2000);
  put16(other_fragment, kEthernetBytes + 6, 0x2000);
  EXPECT_EQ(flow_number(fragment), flow_number(other_fragment)) << "ports are in the first fragment alone";
}

}  // namespace
}  // namespace hilgate::test
