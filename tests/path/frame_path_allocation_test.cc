// SPDX-License-Identifier: Apache-2.0
// After start the loop asks for no memory.
#include <gtest/gtest.h>

#include <memory>

#include "tests/support/allocation_count.h"
#include "tests/support/gateway_rig.h"
#include "tests/support/random_traffic.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(FramePathAllocation, TheCountWorks) {
  const std::uint64_t before = allocation_count();
  const auto something = std::make_unique<std::vector<int>>(100);
  EXPECT_EQ(allocation_count() - before, 2U);
}

// Traffic of every kind, with media, damage, learned addresses, new tables and everything full at times.
TEST(FramePathAllocation, TurnsDoNotAllocate) {
  PathSettings settings = plain_settings(4);
  settings.hold_frames = 200;
  settings.air.domains = {AirDomain{}};
  settings.air.stations[0] = Station{0, 5};
  settings.air.stations[1] = Station{.domain = 0, .queue_frames = 5, .rts_above = 300, .icmp_mtu = 200};
  settings.robots[3].macs.clear();
  settings.tap = {.on = true, .ports = {6000}};
  for (std::size_t link = 0; link < settings.air.rules.size(); ++link) {
    settings.air.rules[link] = {.policy = static_cast<ErrorPolicy>(link % 5), .extra_delay = 500us};
  }
  FlowRule rule{.filter = FlowFilter("udp"), .changes = {.every = PeriodicLoss{5}}, .delay = 1ms};
  settings.air.rules[2].impairments =
      std::make_shared<const Impairments>(Impairments{.flows = std::make_shared<const FlowRules>(FlowRules{{rule}})});
  GatewayRig rig(settings);
  rig.ports[2]->tx_room = 6;
  for (const TimedFrame& frame : random_traffic(5, 3000, 4, rig.clock.now(), 100ms)) {
    rig.arrive(frame.port, frame.bytes, frame.arrived);
  }
  std::uint64_t made = 0;
  for (int i = 0; i < 6000; ++i) {
    if (i % 50 == 0) {
      rig.publish({.unicast = hazard_of(i % 100 == 0 ? 1e-3 : 1e-5),
                   .multicast = hazard_of(1e-4),
                   .delay = 15ms,
                   .ack_loss = 0.2F});
    }
    rig.ports[2]->stuck = i / 100 % 2 == 1;
    rig.clock.advance(20us);
    if (Injection* own = rig.path->tap().injections.claim()) {
      own->port = PortSlot{1};
      own->length = 60;
      rig.path->tap().injections.publish();
    }
    const std::uint64_t before = allocation_count();
    rig.iterate();
    made += allocation_count() - before;
  }
  const std::uint64_t before = allocation_count();
  rig.path->drain();
  made += allocation_count() - before;
  EXPECT_EQ(made, 0U);
  EXPECT_GT(rig.path->totals().released, 500U);
  EXPECT_GT(rig.path->totals().damaged, 100U);
  EXPECT_GT(rig.path->totals().injected, 5000U);
  EXPECT_TRUE(rig.path->totals().balanced());
  EXPECT_GT(rig.dropped(DropReason::kQueueFull), 0U);
  EXPECT_GT(rig.dropped(DropReason::kHoldFull), 0U);
  EXPECT_GT(rig.dropped(DropReason::kTxFull), 0U);
  EXPECT_GT(rig.dropped(DropReason::kEveryNth), 0U);
}

// Stations that go from one medium to another with all that waits for them.
TEST(FramePathAllocation, NeitherDoStationsThatRoam) {
  constexpr std::uint32_t kRobots = 4, kEnds = 6;
  PathSettings settings = plain_settings(kEnds);
  settings.hold_frames = 200;
  settings.air.domains = {AirDomain{}, {.access = MediumAccess::kOverlappingDcf, .carrier_sense_dbm = -82}};
  settings.air.roles = {AirRole::kStation, AirRole::kStation,     AirRole::kStation,
                        AirRole::kWired,   AirRole::kAccessPoint, AirRole::kAccessPoint};
  for (const std::uint32_t radio : {0, 1, 2, 4, 5}) {
    settings.air.stations[radio] = Station{radio == 5 ? 1U : 0U, 20};
  }
  for (std::uint32_t point = kRobots; point < kEnds; ++point) {
    settings.robots[point] = {.port = PortSlot{0}, .macs = {}, .ips = {}, .present = false};
  }
  GatewayRig rig(settings);
  for (const TimedFrame& frame : random_traffic(5, 3000, kRobots, rig.clock.now(), 100ms)) {
    rig.arrive(frame.port, frame.bytes, frame.arrived);
  }
  std::uint64_t made = 0;
  for (std::uint32_t i = 0; i < 6000; ++i) {
    if (i % 50 == 0) {
      std::vector<Attachment>& at = rig.feed.back().attachments;
      at.assign(kEnds, {.state = Attachment::State::kAttached});
      for (std::uint32_t station = 0; station < 3; ++station) {
        at[station] = {static_cast<Attachment::State>((i / 50 + station) % 3),
                       RobotIndex{kRobots + (i / 150 + station) % 2}};
      }
      rig.publish({.unicast = hazard_of(1e-5), .multicast = hazard_of(1e-4), .rssi_dbm = -70, .snr_db = 25});
    }
    rig.clock.advance(20us);
    const std::uint64_t before = allocation_count();
    rig.iterate();
    made += allocation_count() - before;
  }
  EXPECT_EQ(made, 0U);
  EXPECT_GT(rig.path->totals().released, 100U);
  EXPECT_GT(rig.dropped(DropReason::kNotAssociated), 100U);
  EXPECT_TRUE(rig.path->totals().balanced());
}

}  // namespace
}  // namespace hilgate::test
