// SPDX-License-Identifier: Apache-2.0
#include "netsim_link/embedded/embedded_netsim.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <thread>

#include "physics_link/trajectory/trajectory_physics.h"
#include "rf_profiles/errors/wifi_error.h"
#include "rf_profiles/phy/wifi_mode.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

const RobotIndex kRed{0}, kBlue{1};
using Profile = std::shared_ptr<const RadioProfile>;

const RadioProfile& adhoc() {
  static const RadioProfile profile =
      load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  return profile;
}

Profile without_shadowing() {
  static const Profile without = [] {
    RadioProfile profile = adhoc();
    profile.channel.shadowing = {};
    return std::make_shared<const RadioProfile>(profile);
  }();
  return without;
}

const std::vector<Material> kMaterials{builtin_material("building").value()};

/// Two robots 10 m above ground, `distance_m` apart, with `buildings` between them.
LinkState link_at(double distance_m, int buildings) {
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < buildings; ++i) {
    const double x = distance_m * (i + 1) / (buildings + 1);
    obstacles.push_back({{{x - 1, -50, 0}, {x + 1, 50, 30}}, 0, std::nullopt});
  }
  TrajectoryPhysics physics({{{SimTime{}, {0, 0, 10}}}, {{SimTime{}, {distance_m, 0, 10}}}}, obstacles);
  EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
  Scene scene;
  LinkTable table;
  physics.scene_at(SimTime{}, scene);
  netsim.link_states(scene, table);
  return table.links[link_of(kRed, kBlue, 2).value()];
}

/// Probability that a full frame gets through one try.
double one_try(const LinkState& link) {
  EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
  const PhyMode& mode = netsim.air_plan().modes[link.unicast_mode];
  return std::exp(-link.unicast.per_bit * static_cast<double>(mode.air_bits(1514)));
}

double rate_mbps(const LinkState& link) {
  EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
  return netsim.air_plan().modes[link.unicast_mode].rate_bps / 1e6;
}

TEST(EmbeddedNetsim, CarriesFullFramesAtTwentyMetresAndNoneAtFiveKilometres) {
  const LinkState near = link_at(20, 0);
  EXPECT_TRUE(near.reachable);
  EXPECT_GT(one_try(near), 0.99);
  const LinkState far = link_at(5000, 0);
  EXPECT_TRUE(!far.reachable || one_try(far) < 1e-6) << one_try(far);
}

// Of links at one level each has its own loss, whichever way, and the same in every window.
TEST(EmbeddedNetsim, LinksOfOneLevelMayDiffer) {
  RadioProfile profile = adhoc();
  profile.channel.shadowing = {};
  profile.mac.rate_control = {.type = RateControl::Type::kFixed, .modes = {0}};
  profile.phy.link_spread = LinkSpread{.share = 0.8, .frame_bits = 12'000};
  double range_m = 100;  // where a tenth of the frames is lost, or more
  while (one_try(link_at(range_m, 0)) > 0.9 || link_at(range_m, 0).unicast_mode != 0) {
    range_m *= 1.1;
  }
  constexpr std::size_t kRobots = 12;
  const std::vector radios(kRobots, std::make_shared<const RadioProfile>(profile));
  EmbeddedNetsim netsim(radios, kMaterials, 1);
  Scene scene;
  scene.sights.resize(pair_count(kRobots));
  for (std::size_t i = 0; i < kRobots; ++i) {  // all at one distance from the first
    const double angle = 6.2 * static_cast<double>(i) / kRobots;
    const double away_m = i == 0 ? 0 : range_m;
    scene.robots.push_back({{away_m * std::cos(angle), away_m * std::sin(angle), 10}, {}});
  }
  LinkTable first;
  LinkTable second;
  netsim.link_states(scene, first);
  scene.at += Nanoseconds{1'000'000};
  netsim.link_states(scene, second);
  std::set<double> hazards;
  for (std::uint32_t other = 1; other < kRobots; ++other) {
    for (const LinkIndex link :
         {link_of(RobotIndex{0}, RobotIndex{other}, kRobots), link_of(RobotIndex{other}, RobotIndex{0}, kRobots)}) {
      EXPECT_NEAR(first.links[link.value()].snr_db, first.links[1].snr_db, 0.01);
      EXPECT_EQ(first.links[link.value()].unicast.per_bit, second.links[link.value()].unicast.per_bit);
      hazards.insert(first.links[link.value()].unicast.per_bit);
    }
  }
  EXPECT_EQ(hazards.size(), 2 * (kRobots - 1));
  EXPECT_GT(*hazards.rbegin(), 3 * *hazards.begin());
}

// The shape of the ROS-NetSim patrol (Calvo-Fullana et al.).
TEST(Patrol, LineOfSightAtThirtyMetresIsFast) {
  const LinkState link = link_at(30, 0);
  EXPECT_TRUE(link.line_of_sight);
  EXPECT_TRUE(link.reachable);
  EXPECT_NEAR(link.snr_db, 16.02 + 93.965 - (32.4 + 21 * std::log10(30) + 20 * std::log10(2.412)), 1e-2);
  EXPECT_NEAR(rate_mbps(link), 65, 1e-6);
  EXPECT_GT(one_try(link), 0.99);
}

TEST(Patrol, AfterOneBuildingOnlyTheSlowestModesRemain) {
  const LinkState link = link_at(70, 1);
  EXPECT_FALSE(link.line_of_sight);
  EXPECT_NEAR(link.snr_db, 1, 2);  // the MCS0 cliff
  EXPECT_TRUE(link.reachable);
  EXPECT_LE(rate_mbps(link), 13);
  EXPECT_GT(one_try(link), 0.05);
}

TEST(Patrol, FarAfterSeveralBuildingsNothingIsReceived) {
  const LinkState link = link_at(120, 2);
  EXPECT_FALSE(link.reachable);
  EXPECT_LT(one_try(link), 1e-6);
}

TEST(EmbeddedNetsim, EqualsTheErrorModelWithinTheServiceBits) {
  const LinkState link = link_at(90, 1);
  const double table = wifi_table_hazard(0)(link.snr_db);
  ASSERT_EQ(link.unicast_mode, 0);  // mcs0
  for (const std::uint32_t frame : {64u, 300u, 1514u}) {
    EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
    const double ours = link.unicast.per_bit * static_cast<double>(netsim.air_plan().modes[0].air_bits(frame));
    const double theirs = table * 8 * (frame + 24);
    EXPECT_NEAR(ours / theirs, 1 + 22.0 / (8 * (frame + 24)), 0.006);
  }
}

TEST(EmbeddedNetsim, BothDirectionsShareTheLoss) {
  Profile quiet = without_shadowing();
  RadioProfile loud = adhoc();
  loud.phy.tx_power += Decibels{10};
  loud.channel.shadowing = {};
  EmbeddedNetsim netsim({quiet, std::make_shared<const RadioProfile>(loud)}, kMaterials, 1);
  Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{300, 0, 2}, {}}}, {{}}};
  LinkTable table;
  netsim.link_states(scene, table);
  const LinkState& there = table.links[link_of(kRed, kBlue, 2).value()];
  const LinkState& back = table.links[link_of(kBlue, kRed, 2).value()];
  EXPECT_NEAR(back.rssi_dbm - there.rssi_dbm, 10, 1e-4);
  EXPECT_EQ(there.delay, back.delay);
  EXPECT_EQ(there.delay, Nanoseconds{1001});  // 300 m at the speed of light
}

TEST(EmbeddedNetsim, PlanDescribesRadiosAndTheirMedium) {
  EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
  const AirPlan& plan = netsim.air_plan();
  EXPECT_EQ(plan.modes.size(), 9u) << "one profile's modes, once";
  ASSERT_EQ(plan.domains.size(), 1u);
  EXPECT_EQ(plan.domains[0].slot, Nanoseconds{20'000});
  EXPECT_EQ(plan.domains[0].difs, Nanoseconds{50'000});
  ASSERT_EQ(plan.stations.size(), 2u);
  EXPECT_EQ(plan.stations[1]->domain, 0u);
  EXPECT_EQ(plan.rules[1].tries, 7u);
  EXPECT_EQ(plan.rules.size(), 4u);
  EXPECT_EQ(plan.rules[0].policy, ErrorPolicy::kArq);
}

TEST(EmbeddedNetsim, RadiosOfDifferentDomainsDoNotReceiveOneAnother) {
  RadioProfile other = adhoc();
  other.mac.domain = "another channel";
  EmbeddedNetsim netsim({without_shadowing(), std::make_shared<const RadioProfile>(other), without_shadowing()},
                        kMaterials, 1);
  EXPECT_EQ(netsim.air_plan().domains.size(), 2u);
  Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{3, 0, 2}, {}}, {{6, 0, 2}, {}}}, Sights(3)};
  LinkTable table;
  netsim.link_states(scene, table);
  EXPECT_FALSE(table.links[link_of(RobotIndex{0}, RobotIndex{1}, 3).value()].reachable);
  EXPECT_FALSE(table.links[link_of(RobotIndex{1}, RobotIndex{2}, 3).value()].reachable);
  EXPECT_TRUE(table.links[link_of(RobotIndex{0}, RobotIndex{2}, 3).value()].reachable);
}

Profile library(const char* name) {
  return std::make_shared<const RadioProfile>(
      load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + std::string(name) + ".yaml"));
}

TEST(EmbeddedNetsim, RobotsWithoutRadiosAreJoinedByWiresThatHaveTheirTraces) {
  const Profile radio = without_shadowing();
  EmbeddedNetsim netsim({radio, nullptr, radio, nullptr}, kMaterials, 1);
  std::vector<std::shared_ptr<const Impairments>> measured(16);
  measured[4 * 1 + 3] = std::make_shared<const Impairments>();
  netsim.measured_links(measured);
  EXPECT_EQ(netsim.air_plan().rules[4 * 1 + 3].impairments, measured[4 * 1 + 3]);
  EXPECT_FALSE(netsim.air_plan().stations[1]) << "no medium decides when it sends";
  TrajectoryPhysics physics(
      {{{SimTime{}, {0, 0, 10}}}, {{SimTime{}, {0, 0, 10}}}, {{SimTime{}, {30, 0, 10}}}, {{SimTime{}, {9e4, 0, 10}}}},
      {});
  Scene scene;
  LinkTable table;
  physics.scene_at(SimTime{}, scene);
  for (int window = 0; window < 2; ++window) {
    netsim.link_states(scene, table);
    for (std::uint32_t from = 0; from < 4; ++from) {
      for (std::uint32_t to = 0; to < 4; ++to) {
        const LinkState& link = table.links[4 * from + to];
        EXPECT_EQ(link.reachable, from != to && from % 2 == to % 2) << from << " to " << to;
        EXPECT_EQ(link.rssi_dbm != 0, from != to && from % 2 == 0 && to % 2 == 0) << from << " to " << to;
      }
    }
  }
}

TEST(EmbeddedNetsim, PlansHowRadiosShareTheAir) {
  const auto plan = [](const char* name) {
    return EmbeddedNetsim({library(name), library(name)}, kMaterials, 1).air_plan();
  };
  const AirPlan lora = plan("lora_sx1276_sf7");
  ASSERT_EQ(lora.domains.size(), 1u) << "their frames meet";
  EXPECT_EQ(lora.domains[0].access, MediumAccess::kAloha);
  EXPECT_EQ(lora.stations[0]->duty.share, 0.01);
  const AirPlan sik = plan("sik_915_64k");
  ASSERT_EQ(sik.domains.size(), 1u);
  EXPECT_EQ(sik.domains[0].access, MediumAccess::kTdma);
  EXPECT_EQ(sik.domains[0].tdma_slot, 114'240us);
  EXPECT_LE(sik.modes[0].air_time(14 + 250), 38'080us) << "three in a window";
  EXPECT_GT(sik.modes[0].air_time(14 + 250), 38'070us);
  EXPECT_EQ(plan("silvus_sc4200").domains[0].access, MediumAccess::kRoundRobin);
  const AirPlan lte = plan("lte_cat4");
  EXPECT_EQ(lte.domains.size(), 1u) << "users share the uplink";
  EXPECT_EQ(lte.domains[0].access, MediumAccess::kScheduled);
  EXPECT_EQ(lte.domains[0].name, "lte-b3 up");
  EXPECT_FALSE(lte.domains[0].both_ways);
  EXPECT_TRUE(lte.rules[1].combines);
  EXPECT_EQ(plan("wifi_11ac_80").stations[0]->aggregation.frames, 64u);
  EXPECT_EQ(plan("wifi_11n_2g4_adhoc").domains[0].access, MediumAccess::kOverlappingDcf);
  EXPECT_EQ(plan("wifi_11n_2g4_adhoc").domains[0].carrier_sense_dbm, -82);
  EXPECT_EQ(plan("mica2_cc1000").domains[0].access, MediumAccess::kDcf);
  EXPECT_EQ(plan("xbee_802154").rules[1].mtu_bytes, 1280u);
}

// Chase combining: the k-th try is received as if the signal were 10 log10(k) dB stronger.
TEST(EmbeddedNetsim, PlansCellsWithABaseStation) {
  for (const bool both_ways : {false, true}) {
    const Profile user = library(both_ways ? "nr_n78_100" : "lte_cat4");
    RadioProfile changed = *user;
    changed.mac.cell->base = true;
    const Profile base = std::make_shared<const RadioProfile>(changed);
    const AirPlan plan = EmbeddedNetsim({user, base, user}, kMaterials, 1).air_plan();
    EXPECT_EQ(plan.domains.size(), both_ways ? 1u : 2u);
    EXPECT_EQ(plan.stations[0]->domain, plan.stations[2]->domain);
    EXPECT_EQ(plan.stations[0]->domain == plan.stations[1]->domain, both_ways);
    EXPECT_TRUE(plan.stations[1]->base && !plan.stations[0]->base);
    changed.mac.cell.reset();
    const Profile alone = std::make_shared<const RadioProfile>(changed);
    EXPECT_EQ(EmbeddedNetsim({alone, alone, alone}, kMaterials, 1).air_plan().domains.size(), 3u) << "no cell";
  }
}

TEST(EmbeddedNetsim, PlansReportsAndAnnouncementsOfStations) {
  RadioProfile radio = adhoc();
  const auto station = [&radio] {
    const Profile profile = std::make_shared<const RadioProfile>(radio);
    return *EmbeddedNetsim({profile, profile}, kMaterials, 1).air_plan().stations[0];
  };
  EXPECT_FALSE(station().rts_above);
  EXPECT_EQ(station().icmp_mtu, 0u);
  radio.mac.rts_above = 700;
  radio.adaptation = Adaptation::kDropIcmp;
  EXPECT_EQ(station().rts_above, 700u);
  EXPECT_EQ(station().icmp_mtu, 2296u);
}

// 14 bytes and 22 bits of SERVICE and tail, in the legacy mode that answers the frame's.
TEST(EmbeddedNetsim, AcknowledgementsMeetTheErrorModelAtTheirOwnRateAndLength) {
  double most = 0;
  const RadioProfile radio = adhoc();
  for (double distance_m = 20; distance_m < 400; distance_m += 10) {
    const LinkState link = link_at(distance_m, 1);
    const std::string& mode = radio.phy.modes[link.unicast_mode].name;
    const int mcs = mcs_of(control_mode(wifi_mode(mode, WifiFormat::kHt, {}).coding).coding);
    const double loss = frame_error_rate(wifi_table_hazard(mcs)(static_cast<double>(link.snr_db)), 22 + 8 * 14);
    EXPECT_NEAR(static_cast<double>(link.ack_loss), loss, 0.005) << distance_m;
    most = std::max(most, loss);
  }
  EXPECT_GT(most, 0.01) << "nothing was tested";
}

TEST(EmbeddedNetsim, ReportsTheHazardOfCombinedTries) {
  RadioProfile lte = *library("lte_cat4");
  lte.channel.shadowing = {};
  const auto radio = std::make_shared<const RadioProfile>(lte);
  EmbeddedNetsim netsim({radio, radio}, kMaterials, 1);
  for (const double distance_m : {200.0, 600.0, 1200.0}) {
    Scene scene{SimTime{}, {{{0, 0, 25}, {}}, {{distance_m, 0, 2}, {}}}, {{}}};
    LinkTable table;
    netsim.link_states(scene, table);
    const LinkState& link = table.links[1];
    const RateTable rates(lte);
    const auto mode = rates.unicast(Decibels{link.snr_db}).mode;
    for (unsigned k = 2; k <= 4; ++k) {
      const double expected = rates.hazard_in(mode, Decibels{link.snr_db + 10 * std::log10(k)});
      EXPECT_NEAR(link.combined[k - 2], expected, 1e-5 * expected + 1e-12) << distance_m << " m, try " << k;
    }
    EXPECT_LE(link.combined[0], link.unicast.per_bit);
  }
}

TEST(EmbeddedNetsim, RadiosThatLearnTheirRateDoSoPerLinkAndFromTheSeed) {
  RadioProfile learning = adhoc();
  learning.mac.rate_control.type = RateControl::Type::kMinstrel;
  const auto radio = std::make_shared<const RadioProfile>(learning);
  const auto modes = [&](std::uint64_t seed) {
    EmbeddedNetsim netsim({radio, radio}, kMaterials, seed);
    std::vector<std::uint8_t> chosen;
    LinkTable table;
    for (int window = 0; window < 200; ++window) {
      Scene scene{SimTime{50ms * window}, {{{0, 0, 2}, {}}, {{30, 0, 2}, {}}}, {{}}};
      netsim.link_states(scene, table);
      chosen.push_back(table.links[1].unicast_mode);
    }
    return chosen;
  };
  const auto first = modes(1);
  EXPECT_EQ(first, modes(1));
  EXPECT_EQ(first.front(), 0) << "begins with the most robust";
  EXPECT_GT(first.back(), 3);
}

std::string error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(EmbeddedNetsim, RejectsImpossibleValues) {
  RadioProfile wide = adhoc();
  wide.id = "wide";
  wide.phy.bandwidth = {40e6};
  EXPECT_EQ(
      error_of([&] {
        EmbeddedNetsim netsim({without_shadowing(), std::make_shared<const RadioProfile>(wide)}, kMaterials, 1);
      }),
      "the radio profiles 'wifi_11n_2g4_adhoc' and 'wide' share the domain 'wifi-2g4-ch1' but differ in "
      "frequency, bandwidth, medium access, slot, SIFS, contention window, carrier sense, TDM window, duplex or mesh; "
      "give one of them a separate domain");

  EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
  LinkTable table;
  Scene one_robot{SimTime{}, {{{0, 0, 2}, {}}}, {}};
  EXPECT_EQ(error_of([&] { netsim.link_states(one_robot, table); }),
            "the scene has 1 robots and 0 pairs; 2 robots are configured");
  Scene nowhere{SimTime{}, {{{0, 0, 2}, {}}, {{NAN, 0, 2}, {}}}, {{}}};
  EXPECT_EQ(error_of([&] { netsim.link_states(nowhere, table); }),
            "the scene has robot 1 at (nan, 0, 2) m; coordinates must be finite and within 1e+08 m");
  Scene unknown_wall{SimTime{}, {{{0, 0, 2}, {}}, {{9, 0, 2}, {}}}, {{false, {{7, 1, 0}}, {}}}};
  EXPECT_EQ(error_of([&] { netsim.link_states(unknown_wall, table); }),
            "the scene names material 7; there are 1, numbered from 0");
}

/// dBm, at a receiver 100 m away, with these traced paths.
double rssi_with(const std::vector<Path>& paths, double distance_m = 100) {
  EmbeddedNetsim netsim({without_shadowing(), without_shadowing()}, kMaterials, 1);
  Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{distance_m, 0, 2}, {}}}, {{}}};
  scene.sights[0].paths = paths;
  LinkTable table;
  netsim.link_states(scene, table);
  return table.links[1].rssi_dbm;
}

TEST(EmbeddedNetsim, ATracedPathWithoutLossesIsGeometry) {
  for (const double distance_m : {10.0, 100.0, 1000.0, 10'000.0}) {
    const Path straight = {{{0, 0, 2}, 0}, {{distance_m, 0, 2}, 0}};
    const double without = rssi_with({}, distance_m);
    EXPECT_NEAR(rssi_with({straight}, distance_m), without, 1e-4) << distance_m << " m";
    EXPECT_NEAR(rssi_with({straight, straight}, distance_m), without, 1e-4) << "the same way twice is no gain";
    EXPECT_NEAR(rssi_with({{}}, distance_m), without, 1e-4) << "a path without points";
  }
}

TEST(EmbeddedNetsim, ATracedPathPaysItsTransitionsAndItsLength) {
  const double without = rssi_with({});
  const Path three = {{{0, 0, 2}, 0}, {{40, 0, 2}, 3}, {{60, 0, 2}, 4}, {{100, 0, 2}, 0}};
  EXPECT_NEAR(rssi_with({three}), without - 7, 1e-4);
  const Path reflected = {{{0, 0, 2}, 0}, {{50, 86.60254037844386, 2}, 6}, {{100, 0, 2}, 0}};  // 200 m long
  EXPECT_NEAR(rssi_with({reflected}), rssi_with({}, 200) - 6, 1e-4);
  const Path straight = {{{0, 0, 2}, 0}, {{100, 0, 2}, 0}};
  const double sum = std::pow(10, without / 10) + std::pow(10, (without - 7) / 10);
  EXPECT_NEAR(rssi_with({straight, three}), 10 * std::log10(sum), 1e-4) << "powers add";
}

/// SNR red to blue over a drive along a street, in steps of `window`.
std::vector<float> drive(std::uint64_t seed, Nanoseconds window, Nanoseconds every) {
  TrajectoryPhysics physics({{{SimTime{}, {0, 0, 2}}}, {{SimTime{}, {20, 0, 2}}, {SimTime{10s}, {150, 0, 2}}}}, {});
  const auto profile = std::make_shared<const RadioProfile>(adhoc());
  EmbeddedNetsim netsim({profile, profile}, kMaterials, seed);
  Scene scene;
  LinkTable table;
  std::vector<float> snrs;
  for (SimTime now{}; now <= SimTime{10s}; now += window) {
    physics.scene_at(now, scene);
    netsim.link_states(scene, table);
    if (now.time_since_epoch() % every == 0ns) {
      snrs.push_back(table.links[1].snr_db);
    }
  }
  return snrs;
}

TEST(EmbeddedNetsim, SameSeedSameStatesAndAnotherSeedOthers) {
  EXPECT_EQ(drive(5, 10ms, 10ms), drive(5, 10ms, 10ms));
  EXPECT_NE(drive(5, 10ms, 10ms), drive(6, 10ms, 10ms));
}

/// All that 40 robots' links are over a second: with shadowing, fading, drawn sight and walls.
std::vector<float> forty_robots(std::uint64_t seed) {
  RadioProfile profile = adhoc();
  profile.channel.draws_sight = true;
  profile.channel.fading = {RiceFading{.k = 4}, NakagamiFading{.m = 1.5}, {2}};
  constexpr std::size_t kRobots = 40;
  EmbeddedNetsim netsim(std::vector(kRobots, std::make_shared<const RadioProfile>(profile)), kMaterials, seed);
  Scene scene;
  for (std::size_t i = 0; i < kRobots; ++i) {
    scene.robots.push_back({{7.0 * static_cast<double>(i), 3.0 * static_cast<double>(i % 5), 2}, {}});
  }
  scene.sights.resize(pair_count(kRobots));
  for (std::size_t pair = 0; pair < scene.sights.size(); pair += 5) {
    scene.sights[pair] = {false, {{0, 0.2, 0.5}}, {}};
  }
  LinkTable table;
  std::vector<float> all;
  for (int window = 0; window < 20; ++window) {
    scene.at += 50ms;
    for (std::size_t i = 0; i < kRobots; ++i) {
      scene.robots[i].position.y += 0.01 * static_cast<double>(i);
    }
    netsim.link_states(scene, table);
    for (std::size_t i = 0; i < table.links.size(); ++i) {
      if (i % (kRobots + 1) != 0) {  // the diagonal is unused
        all.push_back(table.links[i].snr_db);
        all.push_back(static_cast<float>(table.links[i].unicast.per_bit));
      }
    }
  }
  return all;
}

TEST(EmbeddedNetsim, SameStatesToTheLastBitWhateverElseRunsOnOtherCores) {
  const std::vector<float> alone = forty_robots(5);
  std::vector<std::vector<float>> beside(4);
  std::vector<std::thread> threads;
  for (std::vector<float>& states : beside) {
    threads.emplace_back([&states] { states = forty_robots(5); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  for (const std::vector<float>& states : beside) {
    EXPECT_EQ(states, alone);
  }
  EXPECT_NE(forty_robots(6), alone);
}

TEST(EmbeddedNetsim, WindowDoesNotChangeTheAir) {
  const auto coarse = drive(5, 100ms, 100ms);
  const auto fine = drive(5, 5ms, 100ms);
  ASSERT_EQ(coarse.size(), fine.size());
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    EXPECT_NEAR(coarse[i], fine[i], 1e-3);
  }
}

TEST(EmbeddedNetsim, AskingTwiceForOneSceneChangesNothing) {
  const auto profile = std::make_shared<const RadioProfile>(adhoc());
  EmbeddedNetsim netsim({profile, profile}, kMaterials, 3);
  Scene scene{SimTime{}, {{{0, 0, 2}, {}}, {{50, 0, 2}, {}}}, {{}}};
  LinkTable table;
  netsim.link_states(scene, table);
  const float first = table.links[1].snr_db;
  netsim.link_states(scene, table);
  EXPECT_EQ(table.links[1].snr_db, first);
}

}  // namespace
}  // namespace hilgate::test
