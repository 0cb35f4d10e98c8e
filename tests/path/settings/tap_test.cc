// SPDX-License-Identifier: Apache-2.0
// What the control thread hears of passing frames, and frames of the gateway's own.
#include "path/settings/tap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr std::uint16_t kPort = 14550;

Bytes mavlink_data(std::size_t size = 20, std::byte start = std::byte{0xFD}) {
  Bytes data = payload(size);
  data[0] = start;
  return data;
}
Bytes udp_to(std::uint16_t port, const Bytes& data, std::uint16_t from = 5000) {
  return ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {}, 17, udp(data, port, from));
}

class TapTest : public testing::Test {
 protected:
  static PathSettings settings(const TapSettings& tap) {
    PathSettings plain = plain_settings(2);
    plain.tap = tap;
    return plain;
  }
  void start(const TapSettings& tap = {.on = true, .ports = {kPort}}) {
    rig = std::make_unique<GatewayRig>(settings(tap));
    rig->publish({});
  }
  void pass(const Bytes& frame, std::uint32_t port = 0) {
    rig->arrive(port, frame);
    rig->clock.advance(1us);
    rig->iterate();
  }
  std::vector<Bytes> heard() {
    std::vector<Bytes> all;
    auto& ring = rig->path->tap().overheard;
    for (; const Overheard* frame = ring.front(); ring.drop_front()) {
      const auto head = frame->head();
      all.emplace_back(head.begin(), head.end());
    }
    return all;
  }
  bool say(std::uint32_t port, const Bytes& frame) {
    Injection* slot = rig->path->tap().injections.claim();
    if (slot == nullptr) {
      return false;
    }
    slot->port = PortSlot{port};
    slot->length = static_cast<std::uint32_t>(frame.size());
    std::ranges::copy(frame, slot->bytes.begin());
    rig->path->tap().injections.publish();
    return true;
  }

  std::unique_ptr<GatewayRig> rig;
};

// A robot that sends as quickly as it is heard.
TEST_F(TapTest, ListeningEndsUnderContinuousTraffic) {
  start();
  const Bytes frame = udp_to(kPort, mavlink_data());
  pass(frame);
  std::size_t frames = 0;
  rig->path->tap().hear([&](const Overheard&) {
    if (++frames < 2000) {
      pass(frame);
    }
  });
  EXPECT_EQ(frames, TapRings::kAtOnce);
  EXPECT_EQ(heard().size(), 1U) << "the rest is for the next time";
}

TEST_F(TapTest, CopiesPossibleMavlinkOnly) {
  start();
  const Bytes to = udp_to(kPort, mavlink_data());
  const Bytes from = udp_to(9, mavlink_data(20, std::byte{0xFE}), kPort);
  Bytes stream = tcp(mavlink_data(), 8);
  put16(stream, 0, kPort);
  const Bytes by_tcp = ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {}, 6, stream);
  const Bytes v6 = ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}},
                            {.source = "fd77::1", .destination = "fd77::2"}, 17, udp(mavlink_data(), kPort, 1));
  const Bytes tagged = ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {VlanTag{}}}, {}, 17,
                                udp(mavlink_data(), kPort, 1));
  for (const Bytes& frame : {to, from, by_tcp, v6, tagged}) {
    pass(frame);
  }
  pass(udp_to(kPort, payload(20, 7)));      // starts otherwise
  pass(udp_to(kPort + 1, mavlink_data()));  // another port
  pass(ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {.fragment = 0x2000}, 17,
                udp(mavlink_data(), kPort, 1)));  // a fragment
  pass(ip_frame({.destination = mac_of(2), .source = mac_of(1), .tags = {}}, {}, 1, icmp(mavlink_data())));
  pass(arp_request({.destination = kBroadcast, .source = mac_of(1), .tags = {}}, 1, 2));
  EXPECT_THAT(heard(), testing::ElementsAre(to, from, by_tcp, v6, tagged));
  EXPECT_EQ(rig->path->totals().released, 10U);
}

TEST_F(TapTest, CopiesLostFrames) {
  start();
  rig->publish({.reachable = false});
  pass(udp_to(kPort, mavlink_data()));
  EXPECT_EQ(heard().size(), 1U);
  EXPECT_EQ(rig->dropped(DropReason::kUnreachable), 1U);
}

TEST_F(TapTest, CopiesHavePortAndTime) {
  start();
  rig->clock.advance(5ms);
  const HostTime now = rig->clock.now();
  pass(udp_to(kPort, mavlink_data()));
  const Overheard* frame = rig->path->tap().overheard.front();
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->port, PortSlot{0});
  EXPECT_EQ(frame->arrived, now);
}

TEST_F(TapTest, CountsCopiesThatAreNotRead) {
  start();
  for (std::size_t i = 0; i < Tap::kRing + 5; ++i) {
    pass(udp_to(kPort, mavlink_data()));
  }
  EXPECT_EQ(heard().size(), Tap::kRing);
  EXPECT_EQ(rig->path->tap().missed.get(), 5U);
  EXPECT_EQ(rig->path->totals().released, Tap::kRing + 5);
}

TEST_F(TapTest, LongFramesAreTruncatedToTheRoom) {
  start();
  pass(udp_to(kPort, mavlink_data(3000)));
  const auto all = heard();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].size(), Overheard::kBytes);
}

TEST_F(TapTest, OffCopiesNothingAndTakesNoMemory) {
  start({});
  pass(udp_to(kPort, mavlink_data()));
  EXPECT_THAT(heard(), testing::IsEmpty());
  EXPECT_FALSE(say(0, udp_to(kPort, mavlink_data())));
  EXPECT_EQ(rig->path->tap().missed.get(), 0U);
}

TEST_F(TapTest, FramesOfTheGatewaysOwnGoOutAndTheBooksBalance) {
  start();
  rig->ports[1]->keep_bytes = true;
  const Bytes own = udp_to(kPort, mavlink_data());
  ASSERT_TRUE(say(1, own));
  rig->iterate();
  ASSERT_EQ(rig->sent(1).size(), 1U);
  EXPECT_EQ(rig->sent(1)[0].bytes, own);
  EXPECT_THAT(rig->sent(0), testing::IsEmpty());
  const PathTotals& totals = rig->path->totals();
  EXPECT_EQ(totals.injected, 1U);
  EXPECT_EQ(totals.deliveries, 0U);
  EXPECT_EQ(totals.released, 1U);
  EXPECT_EQ(totals.bytes_released, own.size());
  EXPECT_TRUE(totals.balanced());
  EXPECT_THAT(heard(), testing::IsEmpty()) << "it did not come in";
}

TEST_F(TapTest, OwnFramesThatFindNoRoomAreDroppedAndCounted) {
  start();
  rig->ports[1]->tx_room = 0;
  ASSERT_TRUE(say(1, udp_to(kPort, mavlink_data())));
  rig->iterate();
  EXPECT_EQ(rig->dropped(DropReason::kTxFull), 1U);
  std::vector<Frame> all;
  while (const auto frame = rig->pool.make(payload(60))) {
    all.push_back(*frame);
  }
  ASSERT_TRUE(say(0, udp_to(kPort, mavlink_data())));
  rig->iterate();
  EXPECT_EQ(rig->dropped(DropReason::kNoBuffer), 1U);
  EXPECT_EQ(rig->path->totals().injected, 2U);
  EXPECT_TRUE(rig->path->totals().balanced());
  for (const Frame& frame : all) {
    rig->pool.free(frame);
  }
}

TEST_F(TapTest, ManyOwnFramesWaitForTheirTurn) {
  start();
  for (std::size_t i = 0; i < 40; ++i) {
    ASSERT_TRUE(say(1, udp_to(kPort, mavlink_data())));
  }
  rig->iterate();
  EXPECT_EQ(rig->sent(1).size(), GatewayRig::Path::kInjectionsPerIteration);
  rig->iterate();
  rig->iterate();
  EXPECT_EQ(rig->sent(1).size(), 40U);
  EXPECT_TRUE(rig->path->totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
