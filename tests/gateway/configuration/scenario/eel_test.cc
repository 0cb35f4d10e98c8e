// SPDX-License-Identifier: Apache-2.0
#include "gateway/configuration/scenario/eel.h"

#include <gmock/gmock.h>

#include "config/config_file.h"
#include "gateway/configuration/scenario/scenario_reader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Events as EMANE's tutorials and CORE's documentation have them.
constexpr const char* kLog =
    "# a comment\n"
    "0.0  nem:1 location gps 40.031075,-74.523518,3.000000\n"
    "0.0  nem:2 location gps 40.031165,-74.523412,3.000000\n"
    "0.0  nem:1 antennaprofile 1,0,90\n"
    "0.0  nem:1 pathloss nem:2,96.3,99 nem:3,95.0\n"
    "0.0  nem:1 commeffect nem:2,1.050000,0.050000,10.000000,12.000000,45000,45000 nem:3,0.05,0,0,0,0,0 \n"
    "\n"
    "2.5  nem:2 location gps 40.031227,-74.523247,3.000000\n"
    "4.0  nem:1 commeffect nem:2,0,0,0,0,0,0   # as a cable\n";

TEST(Eel, ReadsPlacesAndEffects) {
  const EelEvents events = read_eel(kLog, "f.eel");
  ASSERT_EQ(events.places.size(), 2U);
  const auto& moving = events.places.at(2);
  ASSERT_EQ(moving.size(), 2U);
  EXPECT_EQ(moving[1].at, 2500ms);
  EXPECT_NEAR(moving[0].position.x, 9.05, 0.01);  // east of the first place, on WGS 84
  EXPECT_NEAR(moving[0].position.y, 9.99, 0.01);
  EXPECT_NEAR(moving[0].position.z, 3, 0.001);
  const auto& effects = events.effects.at(0ns);
  ASSERT_EQ(effects.size(), 2U);
  EXPECT_EQ(effects[0].from, 1U) << "the sentence's NEM is the source";
  EXPECT_EQ(effects[0].to, 2U);
  EXPECT_EQ(effects[0].latency, 1050ms);
  EXPECT_DOUBLE_EQ(effects[0].duplicate_percent, 12);
  EXPECT_THAT(events.left_out, ElementsAre(Pair("antennaprofile", 1)));
  const auto& losses = events.path_losses.at(0ns);
  ASSERT_EQ(losses.size(), 4U);
  EXPECT_EQ(losses[0].from, 1U);
  EXPECT_EQ(losses[0].to, 2U);
  EXPECT_DOUBLE_EQ(losses[0].loss_db, 96.3);
  EXPECT_EQ(losses[1].from, 2U);
  EXPECT_DOUBLE_EQ(losses[1].loss_db, 99) << "the second number is the other way's";
  EXPECT_DOUBLE_EQ(losses[3].loss_db, 95) << "without one it is the first's";
  EXPECT_FALSE(events.limits_broadcast);
}

TEST(Eel, BecomesAScenario) {
  const std::string yaml = eel_scenario(read_eel(kLog, "f.eel"), {{1, "red"}, {2, "blue"}}, "f.eel");
  YamlDocument document = YamlDocument::parse(yaml, "s.yaml");
  YamlReader root = document.root();
  const Scenario scenario = read_scenario(root, {.robots = {"red", "blue"}});
  document.finish();
  EXPECT_EQ(scenario.end, 4s);
  ASSERT_EQ(scenario.steps.size(), 4U);
  EXPECT_THAT(scenario.steps[0].values(0),
              ElementsAre("physics.tracks.red=[{at: 0s, position: [0.000m, 0.000m, 3.000m]}]",
                          HasSubstr("physics.tracks.blue=[{at: 0s, position: [9.04")));
  EXPECT_THAT(
      scenario.steps[1].values(0),
      ElementsAre("links.red.blue.delay={base: 1s, distribution: uniform, min: 0s, max: 0.1s, jitter: independent}",
                  "links.red.blue.loss=10 %", "links.red.blue.duplicate=12 %", "links.red.blue.rate=45000 bit/s",
                  "links.red.nem3.delay=0.05s", "links.red.nem3.loss=0 %", "links.red.nem3.duplicate=0 %"));
  EXPECT_EQ(scenario.steps[2].at, 4s);
  EXPECT_THAT(scenario.steps[2].values(0), ElementsAre("links.red.blue.delay=0s", "links.red.blue.loss=0 %",
                                                       "links.red.blue.duplicate=0 %", "links.red.blue.rate="));
  EXPECT_THAT(scenario.steps[3].values(0),
              ElementsAre("links.blue.red.path_loss=99 dB", "links.nem3.red.path_loss=95 dB",
                          "links.red.blue.path_loss=96.3 dB", "links.red.nem3.path_loss=95 dB"));
}

// As ETCE writes logs: times before the start, ranges of NEMs, losses that mean out of reach.
TEST(Eel, ReadsTimesBeforeTheStartRangesAndLossesOutOfReach) {
  const EelEvents events = read_eel(
      "-Inf nem:1 location gps 40.0,-74.0,3.0\n-5 nem:1 location gps 41.0,-74.0,3.0\n0.0 nem:1 pathloss nem:2,999.0\n"
      "-Inf nem:1-3,7 allinformedpathloss 90\n",
      "f.eel");
  EXPECT_EQ(events.places.at(1).size(), 1U);
  EXPECT_EQ(events.places.at(1)[0].at, 0ns);
  const auto& losses = events.path_losses.at(0ns);
  ASSERT_EQ(losses.size(), 12U + 2U);
  EXPECT_EQ(losses[11].from, 7U);
  EXPECT_EQ(losses[11].to, 3U);
  EXPECT_DOUBLE_EQ(losses[11].loss_db, 90);
  EXPECT_EQ(losses[12].from, 1U) << "what is before the start is in force first";
  EXPECT_DOUBLE_EQ(losses[12].loss_db, 300);
}

// One instant, several sentences: a scenario has each key once.
TEST(Eel, TheLastEffectOfAnInstantIsInForce) {
  const EelEvents events = read_eel(
      "\xef\xbb\xbf-INFINITY nem:1 commeffect nem:2,0.1,0,5,0,0,0\r\n0.0 nem:1 commeffect nem:2,0.2,0,0,0,9000,9000\r\n"
      "0.0 nem:1 commeffect nem:2,0.3,0,0,0,8000,8000 nem:1,1,0,0,0,0,0\r\n0.0 nem:1 pathloss nem:1,90\r\n"
      "7 nem:1 commeffect nem:2,0.4,0,0,0,7000,7000\r\n7 nem:1 commeffect nem:2,0.4,0,0,0,0,0\r\n",
      "f.eel");
  YamlDocument document = YamlDocument::parse(eel_scenario(events, {}, "f.eel"), "s.yaml");
  YamlReader root = document.root();
  const Scenario scenario = read_scenario(root, {.robots = {"nem1", "nem2"}});
  document.finish();
  ASSERT_EQ(scenario.steps.size(), 2U);
  EXPECT_THAT(scenario.steps[0].values(0),
              ElementsAre("links.nem1.nem2.delay=0.3s", "links.nem1.nem2.loss=0 %", "links.nem1.nem2.duplicate=0 %",
                          "links.nem1.nem2.rate=8000 bit/s"));
  EXPECT_THAT(scenario.steps[1].values(0), ElementsAre("links.nem1.nem2.delay=0.4s", "links.nem1.nem2.rate="));
}

TEST(Eel, ValuesInForceAreNotWrittenAgain) {
  const std::string yaml = eel_scenario(
      read_eel("0 nem:1 pathloss nem:2,90\n1 nem:1 pathloss nem:2,90\n2 nem:1 pathloss nem:2,90,91\n"
               "0 nem:1 commeffect nem:2,0.1,0,5,0,9000,9000\n1 nem:1 commeffect nem:2,0.1,0,5,0,9000,9000\n"
               "3 nem:1 commeffect nem:2,0.1,0,5,0,0,0\n4 nem:1 commeffect nem:2,0.1,0,5,0,9000,9000\n",
               "f.eel"),
      {}, "f.eel");
  EXPECT_THAT(yaml, HasSubstr("  - at: 3s\n    remove: [links.nem1.nem2.rate]\n"
                              "  - at: 4s\n    set:\n      links.nem1.nem2.rate: 9000 bit/s\n"));
  EXPECT_THAT(yaml, HasSubstr("  - at: 2s\n    set:\n      links.nem2.nem1.path_loss: 91 dB\nend: 4s\n"));
  EXPECT_THAT(yaml, testing::Not(HasSubstr("at: 1s")));
}

TEST(Eel, IsToldFromAScenarioByItsContent) {
  EXPECT_TRUE(is_eel("# a log\n\n  0.0 nem:1 location gps 1,2,3\n"));
  EXPECT_TRUE(is_eel("\xef\xbb\xbf-Inf   nem:1-3,7 allinformedpathloss 90\r\n"));
  EXPECT_FALSE(is_eel(""));
  EXPECT_FALSE(is_eel("steps: [{at: 0s, mark: a}]\n"));
  EXPECT_FALSE(is_eel("nem:1 0.0\n"));
}

TEST(Eel, InstantsStayApartLateInALog) {
  const std::string yaml = eel_scenario(read_eel("100000.00001 nem:1 location cart 0,0,0\n"
                                                 "100000.00002 nem:1 location cart 1,0,0\n",
                                                 "f.eel"),
                                        {}, "f.eel");
  EXPECT_THAT(yaml, HasSubstr("{at: 100000.00001s, "));
  EXPECT_THAT(yaml, HasSubstr("{at: 100000.00002s, "));
}

// EMANE's bent-pipe example: ground stations, and a satellite over the middle of the USA.
TEST(Eel, ASatelliteIsFarAway) {
  const EelEvents events = read_eel(
      "0.0 nem:1 location gps 42.4563980,-76.4930115,10.0\n\n0.0 nem:2 location gps 46.349795,-100.219587,35786000.0\n"
      "0.0 nem:3 location gps 37.274043,-115.799030,10.0\n",
      "f.eel");
  const Vec3 satellite = events.places.at(2)[0].position;
  EXPECT_NEAR(satellite.x, -11'713'743, 1);
  EXPECT_NEAR(satellite.y, 4'523'182, 1);
  EXPECT_NEAR(satellite.z, 33'873'280, 1);
  const std::string yaml = eel_scenario(events, {{1, "g1"}, {2, "sat"}, {3, "g2"}}, "f.eel");
  EXPECT_THAT(yaml, HasSubstr("physics.tracks.sat:\n        - {at: 0s, position: [-11713742.871m, 4523182.261m, "
                              "33873279.586m]}\n"));
}

TEST(Eel, ErrorsNameTheLine) {
  const auto fault = [](const std::string& line) {
    try {
      read_eel("0 nem:1 location cart 0,0,0\n" + line + "\n", "f.eel");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault("1 nem:1 location cart 1,2,3"), "");
  EXPECT_THAT(fault("1 nem:1"), HasSubstr("f.eel:2: is not an event"));
  EXPECT_THAT(fault("x nem:1 location cart 1,2,3"), HasSubstr("f.eel:2: 'x' is not a number"));
  EXPECT_THAT(fault("nan nem:1 location cart 1,2,3"), HasSubstr("'nan' is not a number"));
  EXPECT_THAT(fault("1 nem:3-1 location cart 1,2,3"), HasSubstr("'nem:3-1' is not a range of NEMs"));
  EXPECT_THAT(fault("1 nem:1 commeffect nem:2-3,0"), HasSubstr("'nem:2-3,0' is not a NEM with latency"));
  EXPECT_THAT(fault("1 nem:1 location polar 1,2,3"), HasSubstr("location needs `gps"));
  EXPECT_THAT(fault("1 nem:1 location cart 1,2"), HasSubstr("'1,2' is not three numbers"));
  EXPECT_THAT(fault("1 nem:1 location gps 91,2,3"), HasSubstr("'91' is out of range; allowed: -90 to 90"));
  EXPECT_THAT(fault("1 node:1 location cart 1,2,3"), HasSubstr("'node:1' is not a NEM"));
  EXPECT_THAT(fault("1 nem:1 commeffect nem:2,1,2"), HasSubstr("'nem:2,1,2' is not a NEM with latency"));
  EXPECT_THAT(fault("1 nem:1 commeffect nem:2,0,0,101,0,0,0"), HasSubstr("'101' is out of range; allowed: 0 to 100"));
  EXPECT_THAT(fault("1 nem:1 location cart 1,2,3\n0.5 nem:1 location cart 1,2,3"), HasSubstr("f.eel:3: is earlier"));
  EXPECT_THAT(fault("1 nem:1 location gps 1,2,3,agl"), "");
  EXPECT_THAT(fault("1 nem:1 location gps 1,2,3,feet"), HasSubstr("'1,2,3,feet' is not three numbers"));
  EXPECT_THAT(fault("1 nem:1 location gps 1,2,3 4"), HasSubstr("location needs `gps"));
  EXPECT_THAT(fault("1 nem:1 commeffect nem:2,0,0,0,0,0,0,9"), HasSubstr("is not a NEM with latency"));
  EXPECT_THAT(fault("inf nem:1 location cart 1,2,3"), HasSubstr("'inf' is not a number"));
  EXPECT_THAT(fault("1 nem:1 pathloss nem:2"), HasSubstr("'nem:2' is not a NEM with one path loss or two"));
  EXPECT_THAT(fault("1 nem:1 pathloss nem:2,-1"), HasSubstr("'-1' is out of range; allowed: 0 to 10000"));
  EXPECT_THROW(read_eel("0 nem:1 antennaprofile 1,0,90\n", "f.eel"), ConfigError);
}

}  // namespace
}  // namespace hilgate::test
