// SPDX-License-Identifier: Apache-2.0
// The path of single frames, step by step.
#include "path/frame_path.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/gateway_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

Layer2 layer2(unsigned from, unsigned to) {
  return {.destination = mac_of(to), .source = mac_of(from), .tags = {}};
}
Layer2 to_all(unsigned from) {
  return {.destination = kBroadcast, .source = mac_of(from), .tags = {}};
}

void keep_bytes(GatewayRig& rig) {
  for (auto& port : rig.ports) {
    port->keep_bytes = true;
  }
}

TEST(FramePath, ForwardsFramesOfAPerfectAir) {
  GatewayRig rig(plain_settings(2));
  keep_bytes(rig);
  const Bytes frame = udp_frame(1, 2, 100);
  rig.arrive(0, frame);
  rig.iterate();
  ASSERT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.sent(1)[0].bytes, frame);
  EXPECT_EQ(rig.sent(1)[0].at, rig.clock.now());
  EXPECT_EQ(rig.link(0, 1).released.get(), 1U);
  EXPECT_EQ(rig.link(0, 1).bytes_released.get(), frame.size());
  EXPECT_EQ(rig.path->totals().frames_captured, 1U);
  EXPECT_EQ(rig.path->totals().bytes_captured, frame.size());
}

// A run that began with wires alone, and is set to radios.
TEST(FramePath, RadiosThatComeWithAChangeHaveRoomForTheirFrames) {
  GatewayRig rig(plain_settings(2));
  PathSettings next = rig.settings;
  next.air.domains = {AirDomain{}};
  next.air.stations = {Station{.domain = 0, .queue_frames = 10, .duty = {}},
                       Station{.domain = 0, .queue_frames = 10, .duty = {}}};
  rig.change(next);
  rig.arrive(0, udp_frame(1, 2, 100));
  rig.run(2ms);
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 0U);
  EXPECT_EQ(rig.sent(1).size(), 1U);
}

TEST(FramePath, ReleasesAtTheDueInstantAndNotBefore) {
  PathSettings settings = plain_settings(2);
  settings.air.rules[1].extra_delay = 300us;
  GatewayRig rig(settings);
  rig.publish({.delay = 700us});
  rig.arrive(0, udp_frame(1, 2, 100));
  rig.iterate();
  EXPECT_EQ(rig.path->totals().held, 1U);
  rig.clock.advance(1ms - 1ns);
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 0U);
  rig.clock.advance(1ns);
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.path->totals().held, 0U);
  EXPECT_EQ(rig.path->totals().held_most, 1U);
}

TEST(FramePath, AllReceiversOfABroadcastShareOneBuffer) {
  constexpr std::uint32_t kRobots = 256;
  PathSettings settings = plain_settings(kRobots);
  settings.hold_frames = 4096;  // memory of the hold comes in pieces of several frames of one link
  GatewayRig rig(settings);
  rig.pool.copies_allowed = 0;
  rig.publish({.delay = 1ms});
  rig.arrive(0, ethernet(to_all(1), 0x88B5, Bytes(60)));
  rig.iterate();
  EXPECT_EQ(rig.path->totals().held, kRobots - 1);
  rig.run(2ms, 100us);
  for (std::uint32_t port = 1; port < kRobots; ++port) {
    EXPECT_EQ(rig.sent(port).size(), 1U) << port;
  }
  EXPECT_EQ(rig.path->totals().released, kRobots - 1);
  EXPECT_EQ(rig.path->totals().dropped_total(), 0U);
}

TEST(FramePath, RefusesFramesWithoutSenderOrReceiver) {
  PathSettings settings = plain_settings(3);
  settings.frame_limit = 1518;
  settings.robots[2].port = PortSlot{1};
  GatewayRig rig(settings);
  const auto reason_of = [&](std::uint32_t port, const Bytes& frame) {
    const auto before = rig.path->totals().dropped;
    rig.arrive(port, frame);
    rig.iterate();
    for (std::size_t i = 0; i < kDropReasons; ++i) {
      if (rig.path->totals().dropped[i] != before[i]) {
        return name(static_cast<DropReason>(i));
      }
    }
    return std::string_view("none");
  };
  const Bytes good = udp_frame(1, 2, 100);
  EXPECT_EQ(reason_of(0, Bytes(good.begin(), good.begin() + 13)), "runt");
  EXPECT_EQ(reason_of(0, Bytes{}), "runt");
  for (std::size_t bytes = 0; bytes < 4; ++bytes) {  // of a tag and the type behind it
    EXPECT_EQ(reason_of(0, ethernet(layer2(1, 2), 0x8100, payload(bytes))), "runt");
    EXPECT_EQ(reason_of(0, ethernet(layer2(1, 2), 0x88A8, payload(bytes))), "runt");
  }
  EXPECT_EQ(reason_of(0, udp_frame(1, 2, 1518 - 42 + 1)), "oversize");
  EXPECT_EQ(reason_of(0, udp_frame(1, 2, 1518 - 42)), "none");
  EXPECT_EQ(reason_of(0, udp_frame(9, 2, 100)), "unknown_sender");
  EXPECT_EQ(reason_of(0, udp_frame(2, 1, 100)), "spoofed_sender");
  EXPECT_EQ(reason_of(0, udp_frame(1, 9, 100)), "no_receiver");
  EXPECT_EQ(reason_of(1, udp_frame(2, 3, 100)), "no_receiver");  // both behind one port: they hear each other by wire
  EXPECT_TRUE(rig.path->totals().balanced());
}

// A claim is payload, as on any network; it does not move whose frames are whose.
TEST(FramePath, ClaimedIpAddressesCountAsTheirSenders) {
  GatewayRig rig(plain_settings(4));
  keep_bytes(rig);
  for (const unsigned victim : {1U, 2U, 4U}) {
    rig.arrive(2, arp_request(to_all(3), victim, victim));  // gratuitous: this address is mine
  }
  rig.iterate();
  EXPECT_EQ(rig.link(2, 0).deliveries.get(), 3U);
  EXPECT_EQ(rig.link(2, 1).deliveries.get(), 3U);
  rig.arrive(
      2, ip_frame(layer2(3, 4), {.source = ipv4_of(1).text(), .destination = ipv4_of(4).text()}, 17, udp(payload(64))));
  rig.iterate();
  EXPECT_EQ(rig.link(2, 3).deliveries.get(), 4U) << "its own air";
  EXPECT_EQ(rig.link(0, 3).deliveries.get(), 0U);
  const Bytes directed = udp_frame(1, 2, 100);
  rig.arrive(0, directed);
  rig.iterate();
  ASSERT_EQ(rig.sent(1).size(), 4U);
  EXPECT_EQ(rig.sent(1).back().bytes, directed);
  EXPECT_EQ(rig.link(0, 1).deliveries.get(), 1U);
}

TEST(FramePath, KnowsTheLastUnknownSenderOfEachPortUntilRobotsChange) {
  GatewayRig rig(plain_settings(2));
  const auto last = [&rig](std::uint32_t port) { return rig.path->unknown_senders().last(PortSlot{port}); };
  rig.arrive(0, udp_frame(1, 2, 100));
  rig.arrive(1, udp_frame(1, 2, 100));  // spoofed: a robot's address
  rig.iterate();
  EXPECT_FALSE(last(0).has_value());
  EXPECT_FALSE(last(1).has_value());
  for (const std::uint8_t stranger : {std::uint8_t{8}, std::uint8_t{9}}) {
    rig.arrive(0, udp_frame(stranger, 2, 100));
    rig.iterate();
    ASSERT_TRUE(last(0).has_value());
    EXPECT_EQ(last(0)->mac, mac_of(stranger));
  }
  EXPECT_EQ(last(0)->frames, 2U);
  EXPECT_FALSE(last(1).has_value());
  rig.change(rig.settings);
  EXPECT_FALSE(last(0).has_value());
}

// Nothing has been seen on the port yet, so nothing can be recognised.
TEST(FramePath, AllZerosAndAllOnesHaveNoSender) {
  for (const std::byte fill : {std::byte{0}, std::byte{0xFF}}) {
    GatewayRig rig(plain_settings(2));
    rig.arrive(0, Bytes(60, fill));
    rig.iterate();
    EXPECT_EQ(rig.dropped(DropReason::kUnknownSender), 1U);
    EXPECT_EQ(rig.path->totals().released, 0U);
  }
}

TEST(FramePath, AHeadShorterThanTheHeaderIsARunt) {
  GatewayRig rig(plain_settings(2));
  const Bytes frame = udp_frame(1, 2, 100);
  rig.arrive(0, frame);  // so that the flow is known
  rig.ports[0]->arrive(*rig.pool.make(frame, rig.clock.now(), {13}));
  rig.ports[0]->arrive(*rig.pool.make(frame, rig.clock.now(), {0}));
  rig.iterate();
  EXPECT_EQ(rig.path->totals().released, 1U);
  EXPECT_EQ(rig.dropped(DropReason::kRunt), 2U);
}

// A flow that was seen must not change what the next frames' own bytes say.
TEST(FramePath, RememberedFlowsDoNotLeak) {
  PathSettings settings = plain_settings(4);
  settings.robots[3].macs.clear();
  GatewayRig rig(settings);
  const auto sent_to = [&](std::uint32_t port, const Bytes& frame) {
    std::vector<std::size_t> before;
    for (std::uint32_t i = 0; i < 4; ++i) {
      before.push_back(rig.sent(i).size());
    }
    rig.arrive(port, frame);
    rig.iterate();
    std::vector<std::uint32_t> ports;
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (rig.sent(i).size() != before[i]) {
        ports.push_back(i);
      }
    }
    return ports;
  };
  using Ports = std::vector<std::uint32_t>;
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(sent_to(0, udp_frame(1, 2, 50)), Ports{1});
    EXPECT_EQ(sent_to(0, udp_frame(1, 3, 50)), Ports{2});
    EXPECT_EQ(sent_to(0, udp_frame(9, 2, 50)), Ports{});  // unknown sender
    EXPECT_EQ(sent_to(1, udp_frame(1, 2, 50)), Ports{});  // known on another port
    EXPECT_EQ(sent_to(0, ip_frame(to_all(1), {}, 17, udp(payload(9)))), (Ports{1, 2, 3}));
    EXPECT_EQ(sent_to(0, ip_frame(layer2(1, 77), {.destination = "10.77.0.4"}, 17, udp(payload(9)))), Ports{3});
    EXPECT_EQ(sent_to(0, ip_frame(layer2(1, 77), {.destination = "10.77.0.3"}, 17, udp(payload(9)))), Ports{2});
  }
}

// A robot whose MACs are learned may send from a group address, which is against IEEE 802; groups stay groups.
TEST(FramePath, AGroupAddressAsSourceIsNotLearned) {
  PathSettings settings = plain_settings(3);
  settings.robots[0].macs.clear();
  GatewayRig rig(settings);
  rig.arrive(0, ethernet({.destination = mac_of(2), .source = kBroadcast, .tags = {}}, 0x88F7, payload(46)));
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 1U);
  for (int i = 0; i < 2; ++i) {
    rig.arrive(1, ip_frame(to_all(2), {}, 17, udp(payload(9))));
    rig.iterate();
  }
  EXPECT_EQ(rig.sent(0).size(), 2U);
  EXPECT_EQ(rig.sent(2).size(), 2U);
}

// An active-backup bond, or a virtual router: the address sends from another port, and flows to it follow at once.
TEST(FramePath, ALearnedAddressThatMovesTakesItsFlowsAlong) {
  PathSettings settings = plain_settings(3);
  settings.robots[1].macs.clear();
  settings.robots[2].macs.clear();
  GatewayRig rig(settings);
  const auto sent_by = [&rig](std::uint32_t port) {
    const std::size_t before = rig.sent(port).size();
    rig.arrive(0, udp_frame(1, 50, 100));
    rig.iterate();
    return rig.sent(port).size() - before;
  };
  const auto announce = [&rig](std::uint32_t port) {
    rig.arrive(port, arp_request({.destination = kBroadcast, .source = mac_of(50), .tags = {}}, 50, 50));
    rig.iterate();
  };
  announce(1);
  for (int i = 0; i < 3; ++i) {  // the flow is remembered
    EXPECT_EQ(sent_by(1), 1U);
  }
  announce(2);
  const std::size_t before = rig.sent(1).size();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(sent_by(2), 1U);
  }
  EXPECT_EQ(rig.sent(1).size(), before);
  announce(1);
  EXPECT_EQ(sent_by(1), 1U);
}

TEST(FramePath, MulticastReachesEachReceiverThroughItsOwnAir) {
  PathSettings settings = plain_settings(4);
  settings.air.rules[1].policy = ErrorPolicy::kCorruptRaw;  // 0 -> 1: damaged
  settings.air.rules[2].policy = ErrorPolicy::kCorruptRaw;  // 0 -> 2: damaged otherwise
  settings.air.rules[3].policy = ErrorPolicy::kMarkOnly;    // 0 -> 3: clean
  GatewayRig rig(settings);
  keep_bytes(rig);
  rig.publish({.multicast = hazard_of(5e-4)});
  const Bytes frame = ethernet(to_all(1), 0x88F7, payload(1400));
  rig.arrive(0, frame);
  rig.iterate();
  for (std::uint32_t port = 1; port < 4; ++port) {
    ASSERT_EQ(rig.sent(port).size(), 1U) << port;
    ASSERT_EQ(rig.sent(port)[0].length, frame.size());
  }
  EXPECT_NE(rig.sent(1)[0].bytes, frame);
  EXPECT_NE(rig.sent(2)[0].bytes, frame);
  EXPECT_NE(rig.sent(1)[0].bytes, rig.sent(2)[0].bytes);
  EXPECT_EQ(rig.sent(3)[0].bytes, frame);
  EXPECT_EQ(rig.path->totals().damaged, 2U);
  EXPECT_EQ(rig.path->totals().marked, 1U);
  EXPECT_EQ(rig.path->totals().deliveries, 3U);
}

// Robots 0 and 1 behind an isolating switch at port 0, 2 and 3 behind another one at port 2, 4 alone.
PathSettings two_switches() {
  PathSettings settings = plain_settings(5);
  settings.robots[1].port = PortSlot{0};
  settings.robots[3].port = PortSlot{2};
  for (std::size_t robot = 0; robot < 4; ++robot) {
    settings.robots[robot].isolated = true;
  }
  return settings;
}

TEST(FramePath, UnicastLeavesAnIsolatedPortWhereItCameFrom) {
  PathSettings settings = two_switches();
  settings.air.rules[1].extra_delay = 5us;  // 0 -> 1
  GatewayRig rig(settings);
  keep_bytes(rig);
  const Bytes frame = udp_frame(1, 2, 100);
  rig.arrive(0, frame);
  rig.iterate();
  EXPECT_TRUE(rig.sent(0).empty());
  rig.run(6us);
  ASSERT_EQ(rig.sent(0).size(), 1U);
  EXPECT_EQ(rig.sent(0)[0].bytes, frame);
  EXPECT_EQ(rig.link(0, 1).released.get(), 1U);
}

TEST(FramePath, WhatTheAirLosesDoesNotReturnToAnIsolatedPort) {
  PathSettings settings = two_switches();
  settings.air.rules[1].impairments = independent_loss(1);  // 0 -> 1
  GatewayRig rig(settings);
  rig.arrive(0, udp_frame(1, 2, 100));
  rig.arrive(0, udp_frame(1, 1, 100));
  rig.arrive(0, udp_frame(2, 2, 100));
  rig.arrive(0, ethernet(to_all(1), 0x88F7, payload(100)));
  rig.run(6us);
  EXPECT_TRUE(rig.sent(0).empty());
  EXPECT_EQ(rig.link(0, 1).deliveries.get(), 2U);
  EXPECT_EQ(rig.dropped(DropReason::kConfiguredLoss), 2U);
  EXPECT_EQ(rig.dropped(DropReason::kNoReceiver), 2U) << "to themselves";
}

TEST(FramePath, AGroupFrameIsSentToEachRobotOfAnIsolatedPortByItsAddress) {
  PathSettings settings = two_switches();
  settings.air.rules[2].impairments = independent_loss(1);  // 0 -> 2
  GatewayRig rig(settings);
  keep_bytes(rig);
  const Bytes frame = ethernet(to_all(1), 0x88F7, payload(100));
  rig.arrive(0, frame);
  rig.iterate();
  const auto addressed = [&frame](unsigned robot) {
    Bytes expected = frame;
    mac_of(robot + 1).to_wire(expected.data());
    return expected;
  };
  ASSERT_EQ(rig.sent(0).size(), 1U) << "to 1, and not back to 0";
  EXPECT_EQ(rig.sent(0)[0].bytes, addressed(1));
  ASSERT_EQ(rig.sent(2).size(), 1U) << "to 3, and not to 2, which has lost it";
  EXPECT_EQ(rig.sent(2)[0].bytes, addressed(3));
  ASSERT_EQ(rig.sent(4).size(), 1U);
  EXPECT_EQ(rig.sent(4)[0].bytes, frame) << "the others' addresses are in copies of their own";
}

TEST(FramePath, WithoutMemoryForACopyAGroupFrameToAnIsolatedPortIsDropped) {
  GatewayRig rig(two_switches());
  rig.pool.copies_allowed = 0;
  rig.arrive(4, ethernet(to_all(5), 0x88F7, payload(100)));
  rig.iterate();
  EXPECT_EQ(rig.sent(0).size() + rig.sent(2).size(), 1U) << "the last one has the frame for itself";
  EXPECT_EQ(rig.dropped(DropReason::kNoBuffer), 3U);
  EXPECT_EQ(rig.path->totals().deliveries, 4U);
}

TEST(FramePath, WithoutMemoryForACopyTheDamagedDeliveryIsDropped) {
  PathSettings settings = plain_settings(3);
  settings.air.rules[1].policy = ErrorPolicy::kCorruptRaw;
  GatewayRig rig(settings);
  keep_bytes(rig);
  rig.pool.copies_allowed = 0;
  for (LinkState& link : rig.feed.back().links) {
    link = {.multicast = hazard_of(1e-3), .delay = 10us};
  }
  rig.feed.back().links[2].multicast = {};
  rig.feed.publish();
  const Bytes frame = ethernet(to_all(1), 0x88F7, payload(1000));
  rig.arrive(0, frame);
  rig.run(100us, 10us);
  EXPECT_EQ(rig.dropped(DropReason::kNoBuffer), 1U);
  ASSERT_EQ(rig.sent(2).size(), 1U);
  EXPECT_EQ(rig.sent(2)[0].bytes, frame);
  EXPECT_EQ(rig.path->totals().damaged, 0U);
}

// A copy is needed as long as the wire of another port still reads the frame.
TEST(FramePath, DoesNotDamageAFrameThatIsStillBeingSent) {
  PathSettings settings = plain_settings(3);
  settings.air.rules[2].policy = ErrorPolicy::kCorruptRaw;
  GatewayRig rig(settings);
  keep_bytes(rig);
  rig.ports[1]->stuck = true;
  rig.feed.back().links[2] = {.multicast = hazard_of(5e-4), .delay = 100us};
  rig.feed.publish();
  const Bytes frame = ethernet(to_all(1), 0x88F7, payload(1000));
  const auto handle = rig.pool.make(frame, rig.clock.now());
  rig.ports[0]->arrive(*handle);
  rig.run(200us, 10us);
  ASSERT_EQ(rig.sent(2).size(), 1U);
  EXPECT_NE(rig.sent(2)[0].bytes, frame);
  EXPECT_EQ(rig.pool.bytes(*handle), frame) << "port 1 has it on its way";
}

TEST(FramePath, AFullPortDropsTheRest) {
  GatewayRig rig(plain_settings(2));
  rig.ports[1]->tx_room = 3;
  for (int i = 0; i < 5; ++i) {
    rig.arrive(0, ethernet(layer2(1, 2), 0x88F7, payload(1000)));
  }
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 3U);
  EXPECT_EQ(rig.dropped(DropReason::kTxFull), 2U);
  rig.ports[1]->tx_room = SIZE_MAX;
  rig.arrive(0, udp_frame(1, 2, 50));
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 4U);
}

TEST(FramePath, FramesToAPortWithoutInterfaceAreDroppedAsUnplugged) {
  PathSettings settings = plain_settings(3);
  settings.tap.on = true;
  GatewayRig rig(settings);
  rig.ports[1]->away = true;
  rig.arrive(0, udp_frame(1, 2, 50));
  rig.arrive(0, udp_frame(1, 3, 50));
  Injection& injection = *rig.path->tap().injections.claim();
  injection.port = PortSlot{1};
  injection.length = 60;
  rig.path->tap().injections.publish();
  rig.iterate();
  EXPECT_EQ(rig.dropped(DropReason::kUnplugged), 2U);
  EXPECT_EQ(rig.link(0, 1).dropped[static_cast<std::size_t>(DropReason::kUnplugged)].get(), 1U);
  EXPECT_EQ(rig.sent(2).size(), 1U);
  EXPECT_TRUE(rig.path->totals().balanced());
  rig.ports[1]->away = false;
  rig.arrive(0, udp_frame(1, 2, 50));
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 1U);
}

TEST(FramePath, AFullHoldDropsTheNewest) {
  PathSettings settings = plain_settings(2);
  settings.hold_frames = 10;
  settings.air.rules[1].extra_delay = 1ms;
  GatewayRig rig(settings);
  for (int i = 0; i < 15; ++i) {
    rig.arrive(0, udp_frame(1, 2, 50));
  }
  rig.iterate();
  EXPECT_EQ(rig.path->totals().held, 10U);
  EXPECT_EQ(rig.dropped(DropReason::kHoldFull), 5U);
  rig.run(2ms, 100us);
  EXPECT_EQ(rig.sent(1).size(), 10U);
}

// More damaged frames in the hold than notes: the damage is done at capture, and is the same damage.
TEST(FramePath, DamageIsTheSameWhenNotesRunShort) {
  const auto outputs = [](std::size_t hold_frames) {
    PathSettings settings = plain_settings(2);
    settings.hold_frames = hold_frames;
    settings.air.rules[1].policy = ErrorPolicy::kCorruptFixsum;
    settings.air.rules[1].extra_delay = 1ms;
    GatewayRig rig(settings);
    rig.publish({.unicast = hazard_of(1e-3)});
    for (unsigned i = 0; i < 900; ++i) {
      rig.arrive(0, udp_frame(1, 2, 400, i));
    }
    rig.run(3ms, 10us);
    EXPECT_GT(rig.path->totals().damaged, 300U);
    return rig.sent(1);
  };
  const std::vector<Sent> few_notes = outputs(1000);  // 256 of them
  EXPECT_EQ(few_notes, outputs(100'000));
}

TEST(FramePath, FramesInFlightKeepTheirFate) {
  const auto outputs = [](bool new_table) {
    PathSettings settings = plain_settings(2);
    settings.air.rules[1].policy = ErrorPolicy::kCorruptFixsum;
    GatewayRig rig(settings);
    rig.publish({.unicast = hazard_of(1e-4), .delay = 5ms});
    for (unsigned i = 0; i < 60; ++i) {
      rig.arrive(0, udp_frame(1, 2, 500, i));
    }
    rig.iterate();
    if (new_table) {
      rig.publish({.unicast = hazard_of(0.5), .delay = 0ms, .reachable = false});
    }
    rig.run(6ms, 10us);
    EXPECT_EQ(rig.sent(1).size() + rig.dropped(DropReason::kHeaderHit), 60U);
    EXPECT_GT(rig.path->totals().damaged, 5U);
    return rig.sent(1);
  };
  EXPECT_EQ(outputs(false), outputs(true));
}

TEST(FramePath, ANewTableHoldsForFramesCapturedAfterIt) {
  GatewayRig rig(plain_settings(2));
  rig.arrive(0, udp_frame(1, 2, 50));
  rig.iterate();
  rig.publish({.reachable = false});
  rig.arrive(0, udp_frame(1, 2, 50));
  rig.iterate();
  EXPECT_EQ(rig.sent(1).size(), 1U);
  EXPECT_EQ(rig.dropped(DropReason::kUnreachable), 1U);
  EXPECT_EQ(rig.path->totals().windows, 1U);
}

TEST(FramePath, DrainDropsHeldFramesAndThePathContinues) {
  PathSettings settings = plain_settings(3);
  settings.air.domains = {AirDomain{}};
  settings.air.stations[2] = Station{0, 50};
  settings.air.rules[1].extra_delay = 10s;
  GatewayRig rig(settings);
  for (int i = 0; i < 5; ++i) {
    rig.arrive(0, udp_frame(1, 2, 50));
    rig.arrive(2, udp_frame(3, 2, 1400));
  }
  rig.iterate();
  const std::uint64_t held = rig.path->totals().held;
  EXPECT_GE(held, 9U);
  rig.path->drain();
  EXPECT_EQ(rig.dropped(DropReason::kShutdown), held);
  EXPECT_EQ(rig.path->totals().held, 0U);
  EXPECT_TRUE(rig.path->totals().balanced());
  const std::size_t before = rig.sent(0).size();
  rig.arrive(1, udp_frame(2, 1, 50));
  rig.arrive(2, udp_frame(3, 1, 50));
  rig.run(20ms, 100us);
  EXPECT_EQ(rig.sent(0).size(), before + 2);
}

TEST(FramePath, RepeatsAreTimedByTheMediumWhereThereIsOne) {
  for (const bool station : {false, true}) {
    PathSettings settings = plain_settings(2);
    settings.air.domains = {AirDomain{.slot = 1us, .difs = 0us, .cw_min = 0, .cw_max = 0}};
    if (station) {
      settings.air.stations[0] = Station{0, 10};
    }
    settings.air.rules[1] = {.policy = ErrorPolicy::kArq, .tries = 50, .retry_delay = 1s};
    GatewayRig rig(settings);
    rig.publish({.unicast = hazard_of(3e-4)});  // 1000 bytes: a try fails with 0.92
    rig.arrive(0, udp_frame(1, 2, 1000));
    rig.run(50ms, 10us);
    ASSERT_GT(rig.link(0, 1).failed_tries.get(), 0U);
    ASSERT_LT(rig.link(0, 1).failed_tries.get(), 50U);
    EXPECT_EQ(rig.sent(1).size(), station ? 1U : 0U);
    EXPECT_EQ(rig.path->totals().held, station ? 0U : 1U);
  }
}

}  // namespace
}  // namespace hilgate::test
