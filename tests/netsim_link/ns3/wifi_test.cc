// SPDX-License-Identifier: Apache-2.0
// Wi-Fi by the real ns-3, frame by frame.
#include <gmock/gmock.h>

#include "tests/netsim_link/ns3/ns3_rig.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Field;
using testing::Ge;
using testing::HasSubstr;

constexpr char kAdHoc[] =
    "network: {type: wifi, standard: 802.11n, rate_control: ideal, queue: {frames: 50}}\n"
    "propagation: {type: log_distance, settings: {Exponent: 3, ReferenceLoss: 40.05}}\n";

class Ns3Wifi : public testing::TestWithParam<const char*> {};

TEST_P(Ns3Wifi, CarriesFramesOfNeighboursWithArrivalTimes) {
  Ns3Rig rig({.scenario = kAdHoc, .protocol = GetParam()});
  rig.place({{0, 0, 1}, {20, 0, 1}});
  for (int n = 0; n < 50; ++n) {
    rig.send(0, 1, 1400, 100us);
    rig.step();
  }
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 50U);
  for (const Verdict& verdict : rig.verdicts()) {
    const Nanoseconds took = verdict.release_at - rig.packet(verdict.packet).captured;
    EXPECT_GT(took, 100us) << "the air alone takes that";
    EXPECT_LT(took, 20ms);
  }
}

TEST_P(Ns3Wifi, LosesFramesOfRobotsOutOfRangeAfterTheirTries) {
  Ns3Rig rig({.scenario = kAdHoc, .protocol = GetParam()});
  rig.place({{0, 0, 1}, {9000, 0, 1}});
  for (int n = 0; n < 20; ++n) {
    rig.send(0, 1);
    rig.steps(20);
  }
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 0U);
  if (GetParam() == std::string("native")) {  // ROS-NetSim's wire has no causes
    EXPECT_EQ(rig.lost(1, AirDrop::kOutOfRange), 20U);
    EXPECT_THAT(rig.verdicts(), Each(Field(&Verdict::retries, Ge(6U))));
  }
}

INSTANTIATE_TEST_SUITE_P(Protocols, Ns3Wifi, testing::Values("native", "rosnetsim"),
                         [](const auto& protocol) { return std::string(protocol.param); });

TEST(Ns3WifiAdHoc, JudgesGroupFramesForEachReceiver) {
  Ns3Rig rig({.scenario = kAdHoc, .robots = 3});
  rig.place({{0, 0, 1}, {20, 0, 1}, {9000, 0, 1}});
  for (int n = 0; n < 20; ++n) {
    rig.send(0, std::nullopt, 300);
    rig.steps(2);
  }
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 20U);
  EXPECT_EQ(rig.lost(2, AirDrop::kOutOfRange), 20U);
}

TEST(Ns3WifiAdHoc, FollowsTheRobots) {
  Ns3Rig rig({.scenario = kAdHoc});
  rig.place({{0, 0, 1}, {9000, 0, 1}});
  rig.send(0, 1);
  ASSERT_TRUE(rig.settle());
  rig.place({{0, 0, 1}, {20, 0, 1}});
  rig.send(0, 1);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.lost(1, AirDrop::kOutOfRange), 1U);
  EXPECT_EQ(rig.delivered(1), 1U);
}

TEST(Ns3WifiAdHoc, ATracedPathSpreadsOverItsLengthAndPaysItsTransitions) {
  struct Case {
    double distance_m;
    std::vector<Path> paths;
    bool arrives;
  };
  const Path near = {{.at = {0, 0, 1}}, {.at = {20, 0, 1}}};
  const Path far = {{.at = {0, 0, 1}}, {.at = {9000, 0, 1}}};
  const Path lossy = {{.at = {0, 0, 1}}, {.at = {10, 0, 1}, .loss_db = 90}, {.at = {20, 0, 1}}};
  const Path detour = {{.at = {0, 0, 1}}, {.at = {10, 9000, 1}, .loss_db = 1}, {.at = {20, 0, 1}}};
  for (const Case& one : {Case{20, {near}, true}, Case{9000, {far}, false}, Case{9000, {far, far, far}, false},
                          Case{20, {lossy}, false}, Case{20, {lossy, near}, true}, Case{20, {detour}, false}}) {
    Ns3Rig rig({.scenario = kAdHoc});
    rig.place({{0, 0, 1}, {one.distance_m, 0, 1}});
    rig.scene().sights[0].paths = one.paths;
    rig.send(0, 1);
    ASSERT_TRUE(rig.settle());
    EXPECT_EQ(rig.delivered(1), one.arrives ? 1U : 0U) << one.distance_m << " m, " << one.paths.size() << " paths";
    EXPECT_EQ(rig.lost(1, AirDrop::kOutOfRange), one.arrives ? 0U : 1U);
  }
}

TEST(Ns3WifiAdHoc, TakesTheWallsOfTheScene) {
  Ns3Rig rig({.scenario = std::string(kAdHoc) + "materials: {paper: {loss: 0 dB}, rock: {loss: 90 dB}}\n"});
  for (const std::uint32_t material : {0U, 1U}) {
    rig.place({{0, 0, 1}, {20, 0, 1}});
    rig.scene().sights[0].line_of_sight = false;
    rig.scene().sights[0].walls = {{.material = material, .thickness_m = 0.2, .incidence_rad = 0}};
    rig.send(0, 1);
    ASSERT_TRUE(rig.settle());
  }
  EXPECT_EQ(rig.delivered(1), 1U);
  EXPECT_EQ(rig.lost(1, AirDrop::kOutOfRange), 1U);
}

TEST(Ns3WifiAdHoc, UsesItsObstructionLossWithoutMaterial) {
  for (const std::string loss : {"0 dB", "90 dB"}) {
    Ns3Rig rig({.scenario = std::string(kAdHoc) + "blocked_loss: " + loss + "\n"});
    rig.place({{0, 0, 1}, {20, 0, 1}});
    rig.scene().sights[0].line_of_sight = false;
    rig.send(0, 1);
    ASSERT_TRUE(rig.settle());
    EXPECT_EQ(rig.delivered(1), loss == "0 dB" ? 1U : 0U) << loss;
  }
}

TEST(Ns3WifiAdHoc, ReportsAFullQueue) {
  Ns3Rig rig({.scenario = kAdHoc});
  rig.place({{0, 0, 1}, {20, 0, 1}});
  for (int n = 0; n < 500; ++n) {
    rig.send(0, 1, 1500);
  }
  ASSERT_TRUE(rig.settle());
  EXPECT_GT(rig.lost(1, AirDrop::kQueueFull), 400U);
  EXPECT_GT(rig.delivered(1), 40U);
  EXPECT_GE(rig.delivered(1) + rig.lost(1, AirDrop::kQueueFull), 499U) << "one may go for a block-ack handshake";
}

TEST(Ns3WifiAdHoc, SendsVoiceBeforeBackgroundTraffic) {
  Ns3Rig rig({.scenario = "network: {type: wifi, rate_control: ideal, ampdu: 0}\n"});
  rig.place({{0, 0, 1}, {20, 0, 1}});
  constexpr std::uint8_t kBackground = 0x20;  // class selector 1
  constexpr std::uint8_t kVoice = 0xC0;       // class selector 6
  for (int n = 0; n < 30; ++n) {
    rig.send(0, 1, 1500, 0us, kBackground);
  }
  const std::uint64_t voice = rig.send(0, 1, 200, 1us, kVoice);
  ASSERT_TRUE(rig.settle());
  ASSERT_EQ(rig.delivered(1), 31U);
  std::size_t place = 0;
  while (rig.verdicts()[place].packet != voice) {
    ++place;
  }
  EXPECT_LT(place, 5U) << "it came last";
}

std::vector<Verdict> run_of(const std::string& scenario) {
  Ns3Rig rig({.scenario = scenario});
  rig.place({{0, 0, 1}, {150, 0, 1}});
  for (int n = 0; n < 200; ++n) {
    rig.send(0, 1, 1200, 50us);
    rig.send(1, 0, 300, 70us);
    rig.step();
  }
  EXPECT_TRUE(rig.settle());
  return rig.verdicts();
}

TEST(Ns3WifiAdHoc, GivesTheSameRunForTheSameSeed) {
  const std::vector<Verdict> once = run_of(std::string(kAdHoc) + "seed: 7\n");
  EXPECT_EQ(run_of(std::string(kAdHoc) + "seed: 7\n"), once);
  EXPECT_NE(run_of(std::string(kAdHoc) + "seed: 8\n"), once);
}

class Ns3Standard : public testing::TestWithParam<const char*> {};

TEST_P(Ns3Standard, CarriesFrames) {
  Ns3Rig rig({.scenario = GetParam()});
  rig.place({{0, 0, 2}, {10, 0, 2}});
  for (int n = 0; n < 20; ++n) {
    rig.send(0, 1, 1400, 100us);
    rig.steps(2);
  }
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 20U);
}

INSTANTIATE_TEST_SUITE_P(
    Scenarios, Ns3Standard,
    testing::Values(
        "network: {type: wifi, standard: 802.11g, rate_control: aarf, error_model: nist}\n",
        "network: {type: wifi, standard: 802.11ac, band: 5GHz, width: 80 MHz}\npropagation: friis\n",
        "network: {type: wifi, standard: 802.11ax, band: 5GHz, width: 40 MHz, rate_control: ideal}\n"
        "propagation: {type: tgpp_umi, settings: {ShadowingEnabled: false}}\n",
        "network: {type: wifi, rate_control: {type: constant, settings: {DataMode: HtMcs3}}, error_model: yans}\n"
        "attributes: {\"ns3::WifiRemoteStationManager::RtsCtsThreshold\": 500}\n"));

TEST(Ns3WifiInfrastructure, ReachesOthersByTheAccessPoint) {
  Ns3Rig rig(
      {.scenario =
           "network:\n"
           "  {type: wifi, mode: infrastructure, rate_control: ideal, access_points: {ap: {at: [0m, 0m, 3m]}}}\n",
       .robots = 3});
  rig.place({{-10, 0, 1}, {10, 0, 1}, {0, 10, 1}});
  rig.steps(1000);  // stations find it by its beacons
  for (int n = 0; n < 20; ++n) {
    rig.send(0, 1, 1000);
    rig.send(1, std::nullopt, 200);
    rig.steps(5);
  }
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 20U);
  EXPECT_EQ(rig.delivered(0), 20U);
  EXPECT_EQ(rig.delivered(2), 20U);
}

TEST(Ns3WifiInfrastructure, HandsAStationOverToTheNextAccessPoint) {
  Ns3Rig rig({.scenario = "network:\n"
                          "  {type: wifi, mode: infrastructure, rate_control: ideal,\n"
                          "   access_points: {west: {at: [0m, 0m, 3m]}, east: {at: [3000m, 0m, 3m]}}}\n",
              .window = 10ms});
  rig.place({{10, 0, 1}, {-10, 0, 1}});
  rig.steps(100);
  rig.send(0, 1);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 1U);
  rig.place({{2990, 0, 1}, {-10, 0, 1}});
  rig.steps(400);  // beacons are missed, the station scans and finds the other
  rig.send(0, 1);
  rig.send(1, 0);
  ASSERT_TRUE(rig.settle());
  EXPECT_EQ(rig.delivered(1), 2U);
  EXPECT_EQ(rig.delivered(0), 1U);
}

TEST(Ns3Scenario, IsRefusedWithFileKeyAndValue) {
  const std::string robots = rig_robots(2);
  const auto says = [&](const std::string& scenario, const std::string& text) {
    const Finished end = refused(robots + scenario);
    EXPECT_EQ(end.status, 2) << end.output;
    EXPECT_THAT(end.output, HasSubstr(text));
    EXPECT_THAT(end.output, HasSubstr("scenario.yaml"));
  };
  says("network: {type: wifi, standard: 802.11zz}\n", "network.standard: unknown value '802.11zz'");
  says("network: {type: wifi, rate_control: quick}\n", "network.rate_control: unknown value 'quick'");
  says("network: {type: wifi, error_model: ns3::FriisPropagationLossModel}\n", "network.error_model");
  says("network: {type: wifi}\npropagation: {type: friis, settings: {Exponent: 3}}\n", "has no attribute 'Exponent'");
  says("network: {type: wifi}\npropagation: {type: friis, settings: {MinLoss: much}}\n",
       "propagation.settings.MinLoss");
  says("network: {type: wifi}\nattributes: {\"ns3::Nothing::AtAll\": 1}\n", "attributes.ns3::Nothing::AtAll");
  says("network: {type: wifi, colour: red}\n", "network.colour");
  says("network: {type: pigeons}\n", "network.type");
}

TEST(Ns3Scenario, RefusalByNs3IsReportedWithItsMessage) {
  const Finished end = refused(rig_robots(2) + "network: {type: wifi, standard: 802.11g, band: 5GHz, channel: 77}\n");
  EXPECT_EQ(end.status, 2) << end.output;
  EXPECT_THAT(end.output, HasSubstr("network (standard, band, channel and width together): ns-3 refuses"));
  EXPECT_THAT(end.output, HasSubstr("No unique channel found"));
}

}  // namespace
}  // namespace hilgate::test
