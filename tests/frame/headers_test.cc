// SPDX-License-Identifier: Apache-2.0
#include "frame/headers.h"

#include <gtest/gtest.h>

#include "frame/checksum.h"
#include "path/fate/damage.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

Layer2 tagged_layer2(std::vector<VlanTag> tags = {}) {
  return {.destination = mac_of(2), .source = mac_of(1), .tags = std::move(tags)};
}
Layer3 v6() {
  return {.source = "fd77::1", .destination = "fd77::2"};
}

IpHeader ip_of(const Bytes& frame) {
  return parse_ip(frame, parse_ethernet(frame).value()).value();
}
bool has_ip(const Bytes& frame) {
  return parse_ip(frame, parse_ethernet(frame).value()).has_value();
}

TEST(Headers, EthernetPlain) {
  const Bytes frame = ethernet(tagged_layer2(), 0x88F7, payload(46));
  const auto header = parse_ethernet(frame);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->destination, mac_of(2));
  EXPECT_EQ(header->source, mac_of(1));
  EXPECT_EQ(header->type, EtherType{0x88F7});
  EXPECT_EQ(header->payload, 14U);
}

TEST(Headers, OneTagTwoTagsAndTheThirdIsPayload) {
  const auto one = parse_ethernet(ethernet(tagged_layer2({{0x8100, 5}}), 0x0800, payload(46)));
  EXPECT_EQ(one->type, EtherType::kIpv4);
  EXPECT_EQ(one->payload, 18U);
  const auto two = parse_ethernet(ethernet(tagged_layer2({{0x88A8, 5}, {0x8100, 6}}), 0x86DD, payload(46)));
  EXPECT_EQ(two->type, EtherType::kIpv6);
  EXPECT_EQ(two->payload, 22U);
  const auto three =
      parse_ethernet(ethernet(tagged_layer2({{0x88A8, 5}, {0x8100, 6}, {0x8100, 7}}), 0x0800, payload(46)));
  EXPECT_EQ(three->type, EtherType::kVlan);
  EXPECT_EQ(three->payload, 22U);
}

TEST(Headers, TruncatedEthernetIsInvalid) {
  const Bytes frame = ethernet(tagged_layer2({{0x88A8, 5}, {0x8100, 6}}), 0x0800, {});
  for (std::size_t length = 0; length < frame.size(); ++length) {
    EXPECT_FALSE(parse_ethernet(std::span(frame).first(length))) << length;
  }
  EXPECT_TRUE(parse_ethernet(frame));
}

TEST(Headers, Ipv4WithOptionsInsideVlan) {
  const Bytes frame = ip_frame(tagged_layer2({{0x8100, 5}}), {.options = Bytes(12, 1)}, 17, udp(payload(10)));
  const IpHeader ip = ip_of(frame);
  EXPECT_EQ(ip.source, ipv4_of(1));
  EXPECT_EQ(ip.destination, ipv4_of(2));
  EXPECT_EQ(ip.protocol, IpProtocol::kUdp);
  EXPECT_EQ(ip.start, 18U);
  EXPECT_EQ(ip.payload, 18U + 32);
  EXPECT_EQ(ip.end, 18U + 32 + 18);
  EXPECT_FALSE(ip.fragment);
}

TEST(Headers, Ipv6) {
  const IpHeader ip = ip_of(ip_frame(tagged_layer2(), v6(), 6, tcp(payload(10))));
  EXPECT_EQ(ip.source, ipv6_of(1));
  EXPECT_EQ(ip.destination, ipv6_of(2));
  EXPECT_EQ(ip.protocol, IpProtocol::kTcp);
  EXPECT_EQ(ip.payload, 54U);
  EXPECT_EQ(ip.end, 54U + 30);
}

TEST(Headers, EveryFragmentIsOne) {
  const auto fragment = [](Layer3 layer, std::uint16_t field) {
    layer.fragment = field;
    return ip_of(ip_frame(tagged_layer2(), layer, 17, udp(payload(40)))).fragment;
  };
  EXPECT_FALSE(fragment({}, 0x4000));  // don't fragment
  EXPECT_TRUE(fragment({}, 0x2000));   // the first: more follow
  EXPECT_TRUE(fragment({}, 0x0001));   // the last
  EXPECT_TRUE(fragment({}, 0x2001));
  EXPECT_TRUE(fragment(v6(), 0x0001));
}

TEST(Headers, InconsistentIpIsInvalid) {
  const Bytes good = ip_frame(tagged_layer2(), {}, 17, udp(payload(40)));
  ASSERT_TRUE(has_ip(good));
  for (const int first : {0x44, 0x40, 0x55, 0x65, 0x05, 0x4F}) {  // header too short, other versions, longer than all
    Bytes bad = first == 0x4F ? Bytes(good.begin(), good.begin() + 14 + 40) : good;
    bad[14] = std::byte{static_cast<std::uint8_t>(first)};
    EXPECT_FALSE(has_ip(bad)) << std::hex << first;
  }
  Bytes short_total = good;
  put16(short_total, 16, 19);  // total length below the header's
  EXPECT_FALSE(has_ip(short_total));
  Bytes wrong_version = ip_frame(tagged_layer2(), v6(), 17, udp(payload(4)));
  wrong_version[14] = std::byte{0x45};
  EXPECT_FALSE(has_ip(wrong_version));
  EXPECT_FALSE(has_ip(arp_request(tagged_layer2(), 1, 2)));
}

// Everything that reads headers, on every prefix of every kind of frame, each in an allocation of its own so that
// AddressSanitizer sees the first byte beyond. What is found must lie inside.
TEST(Headers, NoTruncationIsReadBeyond) {
  const std::vector<Bytes> frames = {
      ip_frame(tagged_layer2({{0x88A8, 5}, {0x8100, 6}}), {.options = Bytes(40, 1)}, 6, tcp(payload(8), 40)),
      ip_frame(tagged_layer2(), {}, 17, udp(payload(8))),
      ip_frame(tagged_layer2(), {}, 1, icmp(payload(8))),
      ip_frame(tagged_layer2(), v6(), 6, tcp(payload(8), 12)),
      ip_frame(tagged_layer2(), v6(), 58, icmp(payload(8), 128)),
      ip_frame(tagged_layer2(), v6(), 136, udp_lite(payload(8), 8)),
      arp_request(tagged_layer2(), 1, 2),
  };
  for (const Bytes& frame : frames) {
    for (std::size_t length = 0; length <= frame.size(); ++length) {
      const Bytes prefix(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(length));
      const auto header = parse_ethernet(prefix);
      if (header) {
        EXPECT_LE(header->payload, length);
        if (const auto ip = parse_ip(prefix, *header)) {
          EXPECT_LE(ip->payload, length);
          EXPECT_GE(ip->end, ip->payload);
          EXPECT_GE(transport_payload(prefix, *ip), ip->payload);
        }
      }
      if (auto repair = ChecksumRepair::of(prefix)) {
        Bytes copy = prefix;
        FrameBytes bytes;
        bytes.append(copy);
        repair->write(bytes);
        EXPECT_EQ(copy, prefix) << "nothing changed, so the checksum must stay";
      }
      for (const auto policy : {ErrorPolicy::kCorruptRaw, ErrorPolicy::kCorruptFixsum}) {
        const ExposedBytes exposed = exposed_bytes(prefix, static_cast<std::uint32_t>(length), policy);
        EXPECT_LE(exposed.begin, exposed.payload);
        EXPECT_LE(exposed.payload, exposed.end);
        EXPECT_EQ(exposed.end, length);
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test
