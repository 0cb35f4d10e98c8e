// SPDX-License-Identifier: Apache-2.0
// The byte strings were made by libprotoc 3.21.12 from the reference schema (ros-net-sim e957c18).
#include "netsim_link/rosnetsim/rosnetsim_network.h"

#include <gtest/gtest.h>

#include "tests/hex.h"

namespace hilgate::rosnetsim {
namespace {

using test::from_hex;
using test::to_hex;

constexpr std::uint32_t kOne = 0xC0A80001;
constexpr std::uint32_t kTwo = 0xC0A80002;
constexpr std::string_view kBegin = "10071a0300ac0222080100a8c00200a8c02a080200a8c00100a8c0320354dc0b4a024142";
constexpr std::string_view kEnd =
    "080110071a010022040100a8c02a040200a8c03a040200a8c0420895d626e80b2e113e5201005a040100a8c062040200a8c0";

std::string encoded(const NetworkUpdate& update, bool extensions = false) {
  std::string plain;
  encode(update, extensions, plain);
  return to_hex(plain);
}

TEST(RosNetSimNetwork, WritesTheGoldenBegin) {
  const NetworkUpdate update{
      .window = 7,
      .channel_data = "AB",
      .offered = {{.key = {0, kOne, kTwo}, .length = 84}, {.key = {300, kTwo, kOne}, .length = 1500}},
      .delivered = {},
      .cleared = {}};
  EXPECT_EQ(encoded(update), kBegin);
}

TEST(RosNetSimNetwork, ReadsTheGoldenBegin) {
  NetworkUpdate update;
  ASSERT_FALSE(decode(from_hex(kBegin), update));
  EXPECT_FALSE(update.end);
  EXPECT_EQ(update.window, 7U);
  EXPECT_EQ(update.channel_data, "AB");
  ASSERT_EQ(update.offered.size(), 2U);
  EXPECT_EQ(update.offered[1].key, (PacketKey{300, kTwo, kOne}));
  EXPECT_EQ(update.offered[1].length, 1500U);
}

TEST(RosNetSimNetwork, WritesAndReadsTheGoldenEnd) {
  const NetworkUpdate update{.end = true,
                             .window = 7,
                             .channel_data = {},
                             .offered = {},
                             .delivered = {{.key = {0, kOne, kTwo}, .rx_ip = kTwo, .ber = 1e-9}},
                             .cleared = {{0, kOne, kTwo}}};
  EXPECT_EQ(encoded(update), kEnd);
  NetworkUpdate back;
  ASSERT_FALSE(decode(from_hex(kEnd), back));
  EXPECT_TRUE(back.end);
  ASSERT_EQ(back.delivered.size(), 1U);
  EXPECT_EQ(back.delivered[0].rx_ip, kTwo);
  EXPECT_EQ(back.delivered[0].ber, 1e-9);
  EXPECT_FALSE(back.delivered[0].release_ns) << "no extension: release at once";
  EXPECT_EQ(back.cleared, update.cleared);
}

TEST(RosNetSimNetwork, ExtensionsUseFieldNumbersFromHundredOn) {
  NetworkUpdate update{.end = true, .window = 0, .channel_data = {}, .offered = {}, .delivered = {}, .cleared = {}};
  update.delivered = {{.key = {0, kOne, kTwo}, .rx_ip = kTwo, .ber = 0, .release_ns = 5}};
  EXPECT_NE(encoded(update, true).find("aa060105"), std::string::npos) << "field 101, packed";
  NetworkUpdate back;
  ASSERT_FALSE(decode(from_hex(encoded(update, true)), back));
  EXPECT_EQ(back.delivered[0].release_ns, 5);
}

TEST(RosNetSimNetwork, UnequalListsGiveTheirCommonPrefixAndAReport) {
  NetworkUpdate update;
  // END with two packet ids, but one source, one destination, one receiver and one error rate.
  const MaybeFault fault =
      decode(from_hex("08011a02000122040100a8c02a040200a8c03a040200a8c042080000000000000000"), update);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->error, ProtocolError::kUnequalArrays);
  EXPECT_EQ(fault->detail, "lists of deliveries have 2, 1, 1, 1, 1 entries; the first 1 were used");
  EXPECT_EQ(update.delivered.size(), 1U);
}

TEST(RosNetSimNetwork, GarbageIsNoMessage) {
  NetworkUpdate update;
  EXPECT_EQ(decode(from_hex("1a05aa"), update)->detail, "invalid NetworkUpdate of 3 bytes");
}

}  // namespace
}  // namespace hilgate::rosnetsim
