// SPDX-License-Identifier: Apache-2.0
#include "gateway/dlep/dlep_links.h"

#include <gtest/gtest.h>

#include <memory>

#include "netsim_link/impairments/impairments.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

constexpr RobotIndex kDlepRobot{0}, kDlepPeer{1};
constexpr MacAddress kDlepBlueMac{0x0268'6700'0002};

/// Two robots with a radio of 6 Mbit/s, and one without a MAC address.
class DlepLinksTest : public testing::Test {
 protected:
  DlepLinksTest() {
    for (const char* const name : {"red", "blue", "green"}) {
      RobotConfig& robot = configuration_.robots.emplace_back();
      robot.name = robot.body = name;
      robot.port = PortIndex{static_cast<std::uint32_t>(configuration_.robots.size() - 1)};
      configuration_.ports.emplace_back();
    }
    configuration_.netsim = LocalNetsimConfig{};
    configuration_.robots[1].macs = {kDlepBlueMac};
    configuration_.robots[1].ips = {*IpAddress::parse("10.0.0.2")};
    air_.modes = {PhyMode{.rate_bps = 6e6}};
    air_.rules.resize(9);
    table_.links.resize(9);
  }

  LinkRules& rules(RobotIndex from, RobotIndex to) { return air_.rules[link_of(from, to, 3).value()]; }
  LinkState& state(RobotIndex from, RobotIndex to) { return table_.links[link_of(from, to, 3).value()]; }
  void lose(RobotIndex from, RobotIndex to, double share) {
    Impairments impairments;
    impairments.loss = LossModel{IndependentLoss{.probability = share}};
    rules(from, to).impairments = std::make_shared<const Impairments>(std::move(impairments));
  }
  DlepView view() { return links_.view(configuration_, air_, table_, SimTime{}, kDlepRobot); }
  DlepDestination blue() { return view().destinations.at(kDlepBlueMac); }

  Configuration configuration_;
  AirPlan air_;
  LinkTable table_;
  DlepLinks links_;
};

TEST_F(DlepLinksTest, ADestinationHasTheValuesOfBothDirections) {
  rules(kDlepRobot, kDlepPeer).extra_delay = 1500us + 1ns;
  rules(kDlepRobot, kDlepPeer).mtu_bytes = 1400;
  lose(kDlepPeer, kDlepRobot, 0.25);
  const DlepView all = view();
  ASSERT_EQ(all.destinations.size(), 1U);
  EXPECT_EQ(all.without_mac, 1U);
  const DlepDestination& to_blue = all.destinations.at(kDlepBlueMac);
  EXPECT_TRUE(to_blue.up);
  EXPECT_EQ(to_blue.metrics, (DlepMetrics{.max_receive_bps = 6'000'000,
                                          .max_transmit_bps = 6'000'000,
                                          .receive_bps = 6'000'000,
                                          .transmit_bps = 6'000'000,
                                          .latency_us = 1501,
                                          .receive_quality = 75,
                                          .transmit_quality = 100,
                                          .mtu = 1400}));
  EXPECT_EQ(to_blue.addresses, configuration_.robots[1].ips);
  EXPECT_EQ(all.session, to_blue.metrics);
}

TEST_F(DlepLinksTest, BothDirectionsMustGetThrough) {
  EXPECT_TRUE(blue().up);
  state(kDlepPeer, kDlepRobot).reachable = false;
  EXPECT_FALSE(blue().up);
  state(kDlepPeer, kDlepRobot).reachable = true;
  EXPECT_TRUE(blue().up);
  lose(kDlepRobot, kDlepPeer, 0.97);
  EXPECT_TRUE(blue().up) << "it was";
  lose(kDlepRobot, kDlepPeer, 0.99);
  EXPECT_FALSE(blue().up);
  lose(kDlepRobot, kDlepPeer, 0.97);
  EXPECT_FALSE(blue().up) << "it was not";
  lose(kDlepRobot, kDlepPeer, 0.94);
  EXPECT_TRUE(blue().up);
}

TEST_F(DlepLinksTest, TheMaximumIsTheHighestRateSoFar) {
  EXPECT_EQ(blue().metrics.max_transmit_bps, 6'000'000U);
  air_.modes = {PhyMode{.rate_bps = 2e6}};
  EXPECT_EQ(blue().metrics.transmit_bps, 2'000'000U);
  EXPECT_EQ(blue().metrics.max_transmit_bps, 6'000'000U);
}

TEST_F(DlepLinksTest, AWireHasTheNominalRate) {
  air_.modes = {PhyMode{}};
  EXPECT_EQ(blue().metrics.receive_bps, DlepLinks::kNoLimit);
}

TEST_F(DlepLinksTest, NothingIsUpBeforeTheFirstLinkTable) {
  table_.links.clear();
  EXPECT_TRUE(view().destinations.empty());
}

}  // namespace
}  // namespace hilgate::test
