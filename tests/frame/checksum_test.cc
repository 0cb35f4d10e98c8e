// SPDX-License-Identifier: Apache-2.0
#include "frame/checksum.h"

#include <gtest/gtest.h>

#include <random>

#include "path/fate/damage.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

struct Kind {
  std::string name;
  Layer3 layer3;
  std::uint8_t protocol;
  Bytes (*transport)(std::size_t data);
};

std::vector<Kind> kinds() {
  const Layer3 v6{.source = "fd77::1", .destination = "fd77::2"};
  const auto make_tcp = [](std::size_t n) { return tcp(payload(n, n + 1)); };
  const auto make_tcp_options = [](std::size_t n) { return tcp(payload(n, n + 1), 12); };
  const auto make_udp = [](std::size_t n) { return udp(payload(n, n + 1)); };
  const auto make_icmp = [](std::size_t n) { return icmp(payload(n, n + 1)); };
  const auto make_icmp6 = [](std::size_t n) { return icmp(payload(n, n + 1), 128); };
  return {{"tcp4", {}, 6, make_tcp},    {"tcp4 options", {.options = Bytes(8, 1)}, 6, make_tcp_options},
          {"udp4", {}, 17, make_udp},   {"icmp4", {}, 1, make_icmp},
          {"tcp6", v6, 6, make_tcp},    {"udp6", v6, 17, make_udp},
          {"icmp6", v6, 58, make_icmp6}};
}

Layer2 layer2(std::size_t pad_to = 0) {
  return {.destination = mac_of(2), .source = mac_of(1), .tags = {}, .pad_to = pad_to};
}

// What the policy exposes behind all protected headers, hit hard; returns the flips done.
std::uint32_t flip_payload(Bytes& frame, std::uint64_t seed, bool repair, BitHazard hazard = {0.02}) {
  const auto length = static_cast<std::uint32_t>(frame.size());
  ExposedBytes exposed = exposed_bytes(frame, length, ErrorPolicy::kCorruptFixsum);
  exposed.begin = exposed.payload;
  if (exposed.bits() == 0) {
    return 0;
  }
  const DamageNote note{ErrorMeter(FrameRandom(seed, 1, 0)), hazard, FrameRandom(seed, 1, 1), exposed, repair};
  ErrorMeter meter = note.meter;
  const std::uint32_t errors = scan_errors(meter, hazard, exposed, note.random).errors;
  FrameBytes bytes;
  bytes.append(frame);
  apply_errors(note, bytes);
  return errors;
}

TEST(Checksum, RepairEqualsSummingThePacketAgain) {
  std::uint64_t flips = 0;
  for (const Kind& kind : kinds()) {
    for (std::size_t size = 0; size < 90; ++size) {
      for (const std::size_t pad_to : {0U, 60U, 130U}) {
        Bytes frame = ip_frame(layer2(pad_to), kind.layer3, kind.protocol, kind.transport(size));
        ASSERT_TRUE(transport_checksum_right(frame));
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
          flips += flip_payload(frame, seed * 1000 + size, true);
          ASSERT_TRUE(transport_checksum_right(frame)) << kind.name << ", " << size << " bytes, seed " << seed;
        }
      }
    }
  }
  EXPECT_GT(flips, 100'000U);
}

TEST(Checksum, WithoutRepairTheSumIsWrong) {
  for (const Kind& kind : kinds()) {
    Bytes frame = ip_frame(layer2(), kind.layer3, kind.protocol, kind.transport(400));
    ASSERT_GT(flip_payload(frame, 1, false, {0.002}), 0U);
    EXPECT_FALSE(transport_checksum_right(frame)) << kind.name;
  }
}

// All changes of one word: whatever the sum becomes, UDP must not end with zero, which means "no checksum".
TEST(Checksum, EveryWordChangeIsRightAndUdpIsNeverZero) {
  const Bytes original = ip_frame(layer2(), {}, 17, udp(payload(2)));
  bool was_all_ones = false;
  for (unsigned value = 0; value < 0x10000; ++value) {
    Bytes frame = original;
    auto repair = ChecksumRepair::of(frame);
    put16(frame, 42, static_cast<std::uint16_t>(value));
    repair->changed(42, original[42], frame[42]);
    repair->changed(43, original[43], frame[43]);
    FrameBytes bytes;
    bytes.append(frame);
    repair->write(bytes);
    ASSERT_NE(get16(frame, 40), 0) << value;
    ASSERT_TRUE(transport_checksum_right(frame)) << value;
    was_all_ones |= get16(frame, 40) == 0xFFFF;
  }
  EXPECT_TRUE(was_all_ones) << "the corner was not met";
}

TEST(Checksum, UdpWithoutChecksumStaysWithout) {
  Bytes frame = ip_frame(layer2(), {.transport_checksum = false}, 17, udp(payload(400)));
  EXPECT_FALSE(ChecksumRepair::of(frame));
  ASSERT_GT(flip_payload(frame, 3, true), 0U);
  EXPECT_EQ(get16(frame, 40), 0);
}

TEST(Checksum, FragmentsKeepTheirBytes) {
  for (Layer3 layer3 : {Layer3{}, Layer3{.source = "fd77::1", .destination = "fd77::2"}}) {
    layer3.fragment = 0x2000;
    const Bytes frame = ip_frame(layer2(), layer3, 17, udp(payload(400)));
    EXPECT_FALSE(ChecksumRepair::of(frame));
  }
}

TEST(Checksum, OtherProtocolsHaveNone) {
  EXPECT_FALSE(ChecksumRepair::of(ip_frame(layer2(), {}, 47, payload(40))));
  EXPECT_FALSE(ChecksumRepair::of(arp_request(layer2(), 1, 2)));
  EXPECT_FALSE(ChecksumRepair::of(ethernet(layer2(), 0x88F7, payload(40))));
}

TEST(Checksum, ChangesInEthernetPaddingDoNotCount) {
  const Bytes frame = ip_frame(layer2(60), {}, 17, udp(payload(4)));
  auto repair = ChecksumRepair::of(frame);
  for (std::uint32_t at = 46; at < 60; ++at) {
    repair->changed(at, std::byte{0}, std::byte{0xFF});
  }
  Bytes after = frame;
  FrameBytes bytes;
  bytes.append(after);
  repair->write(bytes);
  EXPECT_EQ(after, frame);
}

// The IP header says that the packet ends inside the transport header: what follows is padding, not a checksum.
TEST(Checksum, APacketTooShortForItsTransportHeaderHasNone) {
  Bytes frame = ip_frame(layer2(60), {}, 17, udp(payload(4)));
  put16(frame, 16, 20 + 6);
  EXPECT_FALSE(ChecksumRepair::of(frame));
}

TEST(Checksum, TransportPayloadBeginsAfterTheHeader) {
  const auto behind = [](std::uint8_t protocol, const Bytes& transport) {
    const Bytes frame = ip_frame(layer2(), {}, protocol, transport);
    return transport_payload(frame, parse_ip(frame, *parse_ethernet(frame)).value()) - 34;
  };
  EXPECT_EQ(behind(6, tcp(payload(9))), 20U);
  EXPECT_EQ(behind(6, tcp(payload(9), 40)), 60U);
  EXPECT_EQ(behind(17, udp(payload(9))), 8U);
  EXPECT_EQ(behind(136, udp_lite(payload(9), 8)), 8U);
  EXPECT_EQ(behind(1, icmp(payload(9))), 8U);
  EXPECT_EQ(behind(47, payload(40)), 0U);
}

}  // namespace
}  // namespace hilgate::test
