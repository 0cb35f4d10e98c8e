// SPDX-License-Identifier: Apache-2.0
// Networks of ns-3's beside Wi-Fi, and routing over several hops.
#include <gmock/gmock.h>

#include "tests/netsim_link/ns3/ns3_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

TEST(Ns3Csma, JoinsEverybodyOnOneCable) {
  Ns3Rig rig({.scenario = "network: {type: csma, rate: 10Mbps}\n", .robots = 3});
  rig.place({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}});
  rig.send(0, 1, 1514);
  rig.send(2, std::nullopt, 64);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 2U);
  EXPECT_EQ(rig.delivered(0), 1U);
  EXPECT_EQ(rig.delivered(2), 0U);
  for (const Verdict& verdict : rig.verdicts()) {
    if (verdict.packet == 0) {
      EXPECT_GT(verdict.release_at - SimTime{}, 1200us) << "1514 bytes take that at 10 Mbit/s";
    }
  }
}

constexpr char kLrWpan[] =
    "network: {type: lr_wpan}\npropagation: {type: log_distance, settings: {Exponent: 3, ReferenceLoss: 40.2}}\n";

TEST(Ns3LrWpan, CarriesFramesInPieces) {
  Ns3Rig rig({.scenario = kLrWpan});
  rig.place({{0, 0, 1}, {10, 0, 1}});
  const std::uint64_t small = rig.send(0, 1, 80);
  const std::uint64_t large = rig.send(0, 1, 1000);
  ASSERT_TRUE(rig.settle());
  ASSERT_EQ(rig.delivered(1), 2U);
  ASSERT_EQ(rig.verdicts()[0].packet, small);
  ASSERT_EQ(rig.verdicts()[1].packet, large);
  EXPECT_GT(rig.verdicts()[1].release_at - SimTime{}, 32ms) << "1000 bytes take that at 250 kbit/s";
}

TEST(Ns3LrWpan, LosesFramesOfRobotsOutOfRange) {
  Ns3Rig rig({.scenario = kLrWpan});
  rig.place({{0, 0, 1}, {5000, 0, 1}});
  rig.send(0, 1, 80);
  rig.send(0, std::nullopt, 80);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.lost(1, AirDrop::kOutOfRange), 2U);
}

TEST(Ns3Lte, CarriesFramesByTheBaseStation) {
  Ns3Rig rig({.scenario = "network: {type: lte, base_stations: {mast: {at: [0m, 0m, 30m]}}}\npropagation: friis\n",
              .robots = 3,
              .window = 5ms});
  rig.place({{100, 0, 2}, {-100, 0, 2}, {0, 100, 2}});
  rig.steps(100);  // attaching
  rig.send(0, 1, 1200);
  rig.send(2, std::nullopt, 100);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 2U) << rig.output();
  EXPECT_EQ(rig.delivered(0), 1U);
  for (const Verdict& verdict : rig.verdicts()) {
    EXPECT_GT(verdict.release_at - rig.packet(verdict.packet).captured, 5ms) << "grants and scheduling take time";
  }
}

class Ns3Routing : public testing::TestWithParam<const char*> {};

// 0 hears 1 and 1 hears 2, and 0 does not hear 2.
TEST_P(Ns3Routing, FindsTheWayOverAnotherRobot) {
  Ns3Rig rig(
      {.scenario = std::string("network: {type: wifi, rate_control: {type: constant, settings: {DataMode: HtMcs0}}, "
                               "routing: ") +
                   GetParam() + "}\npropagation: {type: range, settings: {MaxRange: 100}}\n",
       .robots = 3,
       .window = 10ms});
  rig.place({{0, 0, 1}, {80, 0, 1}, {160, 0, 1}});
  rig.steps(1500);  // OLSR's nodes get to know each other
  for (int n = 0; n < 10; ++n) {
    rig.send(0, 2, 500);
    rig.steps(10);
  }
  rig.send(0, std::nullopt, 100);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 1U) << "the broadcast, which goes one hop";
  EXPECT_EQ(rig.delivered(2), 10U);
}

INSTANTIATE_TEST_SUITE_P(Protocols, Ns3Routing, testing::Values("olsr", "aodv"),
                         [](const auto& protocol) { return std::string(protocol.param); });

}  // namespace
}  // namespace hilgate::test
