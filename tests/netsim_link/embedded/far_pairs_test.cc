// SPDX-License-Identifier: Apache-2.0
// Pairs too far apart to hear one another are left out; whoever can be heard is heard as if none had been.
#include "netsim_link/netsim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "config/model_table.h"
#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

using testing::HasSubstr;

constexpr std::size_t kRobots = 30;

RadioProfile wifi() {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  profile.channel.fading.los = NakagamiFading{.m = 1.5};
  profile.channel.fading.nlos = RayleighFading{};
  profile.channel.fading.doppler = Hertz{3};
  return profile;
}

/// Of which the fading is known ahead.
RadioProfile wifi_among_still_things() {
  RadioProfile profile = wifi();
  profile.channel.fading.doppler = Hertz{0};
  return profile;
}

/// Robots that go round on circles all over a square, so that pairs come near and go away again, many times.
class Circles {
 public:
  Circles(std::size_t robots, double side_m) {
    FrameRandom random(7, 0, 0);
    for (std::size_t i = 0; i < robots; ++i) {
      middles_.push_back({side_m * random.uniform(), side_m * random.uniform(), 1.5 + random.uniform()});
      radii_.push_back(side_m / 4 * random.uniform());
      phases_.push_back(6.3 * random.uniform());
    }
    scene_.sights.resize(pair_count(robots));
  }

  /// From here on all robots rise by so much in each window.
  void climb(double m_per_window) { climb_m_ = m_per_window; }

  /// `part` of a turn after the start, with sights that come and go.
  const Scene& at(double part, int window) {
    scene_.at = SimTime{} + window * Nanoseconds{10'000'000};
    scene_.robots.resize(middles_.size());
    for (std::size_t i = 0; i < middles_.size(); ++i) {
      const double angle = phases_[i] + 6.283185307179586 * part;
      scene_.robots[i].position = {middles_[i].x + radii_[i] * std::cos(angle),
                                   middles_[i].y + radii_[i] * std::sin(angle), middles_[i].z + climb_m_ * window};
    }
    for (std::size_t pair = 0; pair < scene_.sights.size(); ++pair) {
      Sight& sight = scene_.sights[pair];
      sight.line_of_sight = pair % 7 != 0 || (static_cast<std::size_t>(window) + pair) % 90 < 60;
      sight.walls.assign(sight.line_of_sight ? 0 : 1, WallCrossing{0, 0.2, 0.5});
    }
    return scene_;
  }

 private:
  std::vector<Vec3> middles_;
  std::vector<double> radii_;
  std::vector<double> phases_;
  double climb_m_ = 0;
  Scene scene_;
};

struct Both {
  Both(const std::vector<std::shared_ptr<const RadioProfile>>& radios)
      : whole(radios, {builtin_material("concrete").value()}, 5, nullptr, {}, {}, FarPairRule::kNever),
        culled(radios, {builtin_material("concrete").value()}, 5, nullptr, {}, {}, FarPairRule::kAlways) {}
  EmbeddedNetsim whole;
  EmbeddedNetsim culled;
};

void expect_alike(const LinkState& whole, const LinkState& culled) {
  EXPECT_TRUE(culled.reachable);
  EXPECT_TRUE(whole.reachable);
  EXPECT_EQ(whole.delay, culled.delay);
  EXPECT_EQ(whole.line_of_sight, culled.line_of_sight);
  EXPECT_NEAR(whole.rssi_dbm, culled.rssi_dbm, 1e-4);
  EXPECT_NEAR(whole.snr_db, culled.snr_db, 1e-4);
  EXPECT_EQ(whole.unicast_mode, culled.unicast_mode);
  EXPECT_NEAR(whole.unicast.per_bit, culled.unicast.per_bit, 1e-4 * whole.unicast.per_bit);
  EXPECT_NEAR(whole.multicast.per_bit, culled.multicast.per_bit, 1e-4 * whole.multicast.per_bit);
  EXPECT_NEAR(whole.ack_loss, culled.ack_loss, 1e-5);
}

struct Seen {
  std::size_t audible = 0;
  std::size_t came_back = 0;                 // audible again after windows in which they were left out
  std::uint64_t fewest = ~std::uint64_t{0};  // pairs visited
  std::uint64_t asleep = 0;                  // pairs in all windows, within reach
};

std::uint64_t pairs_within(const Scene& scene, double reach_m) {
  std::uint64_t within = 0;
  for (std::size_t high = 1; high < scene.robots.size(); ++high) {
    for (std::size_t low = 0; low < high; ++low) {
      within += distance_m(scene.robots[high].position, scene.robots[low].position) <= reach_m ? 1 : 0;
    }
  }
  return within;
}

/// Goes through the windows with both; tables are used in turns, as the gateway's are.
Seen compare(Both& both, Circles& circles, int windows, double part_of_window) {
  Seen seen;
  LinkTable whole;
  std::array<LinkTable, 3> tables;
  std::vector<bool> was_silent;
  for (int window = 0; window < windows; ++window) {
    const Scene& scene = circles.at(window * part_of_window, window);
    LinkTable& culled = tables[static_cast<std::size_t>(window) % tables.size()];
    both.whole.link_states(scene, whole);
    both.culled.link_states(scene, culled);
    was_silent.resize(whole.links.size());
    for (std::size_t link = 0; link < whole.links.size(); ++link) {
      if (link % (kRobots + 1) == 0) {
        continue;  // of a robot to itself
      }
      const LinkState& ours = culled.links[link];
      if (whole.links[link].reachable || ours.reachable) {
        expect_alike(whole.links[link], ours);
        ++seen.audible;
        seen.came_back += was_silent[link] ? 1 : 0;
        was_silent[link] = false;
      } else if (culled.sparse && ours.rssi_dbm == 0) {
        was_silent[link] = true;
      }
    }
    const FarPairs far = both.culled.far_pairs().front();
    const std::uint64_t near = pairs_within(scene, far.reach_m);
    seen.asleep += near > far.visited ? near - far.visited : 0;
    seen.fewest = std::min(seen.fewest, far.visited);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "in window " << window;
      return seen;
    }
  }
  return seen;
}

TEST(FarPairs, AudiblePairsEqualTheFullComputation) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 4000);
  const Seen seen = compare(both, circles, 200, 0.002);
  EXPECT_GT(seen.audible, 1000u);
  EXPECT_GT(seen.came_back, 10u);
  EXPECT_LT(seen.fewest, pair_count(kRobots) / 2) << "some were left out";
}

// So wide a field that robots are looked for by cells.
TEST(FarPairs, AudiblePairsOnAWideFieldEqualTheFullComputation) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 20'000);
  const Seen seen = compare(both, circles, 500, 0.001);
  EXPECT_GT(seen.audible, 200u);
  EXPECT_GT(seen.came_back, 10u);
  EXPECT_LT(seen.fewest, pair_count(kRobots) / 8);
}

// A few decimetres at a time, so that silent pairs sleep for many windows, and fall silent and come back in between.
TEST(FarPairs, WokenPairsEqualTheFullComputation) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 2000);
  constexpr int kWindows = 800;
  const Seen seen = compare(both, circles, kWindows, 0.0002);
  EXPECT_GT(seen.audible, 1000u);
  EXPECT_GT(seen.came_back, 10u);
  EXPECT_GT(seen.asleep, kWindows * pair_count(kRobots) / 50) << "some slept";
}

// Nights end, begin again, and are broken off by sights that change and by robots that rise.
TEST(FarPairs, PairsThatTheirFadingSilencesEqualTheFullComputation) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi_among_still_things())));
  Circles circles(kRobots, 3000);
  constexpr int kWindows = 1500;
  const Seen seen = compare(both, circles, kWindows, 0.00004);
  EXPECT_GT(seen.audible, 1000u);
  EXPECT_GT(seen.came_back, 1000u);
  EXPECT_GT(seen.asleep, kWindows * pair_count(kRobots) / 20) << "some slept";
}

TEST(FarPairs, PairsThatTheirFadingSilencesWakeWhenTheyRise) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi_among_still_things())));
  Circles circles(kRobots, 8000);
  circles.climb(0.1);
  const Seen seen = compare(both, circles, 400, 0.00001);
  EXPECT_GT(seen.audible, 1000u);
  EXPECT_GT(seen.came_back, 10u);
}

TEST(FarPairs, PairsThatStandStillStayAudible) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi_among_still_things())));
  Circles circles(kRobots, 3000);
  EXPECT_GT(compare(both, circles, 20, 0.00004).audible, 100u);
  EXPECT_GT(compare(both, circles, 20, 0).audible, 100u);
}

// The higher, the farther they are heard: who slept because it was too far away is not any more.
TEST(FarPairs, WokenFarPairsAreReceivedFromAbove) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 8000);  // some times the range of group frames
  circles.climb(0.1);
  const Seen seen = compare(both, circles, 400, 0.00001);
  EXPECT_GT(seen.audible, 1000u);
  EXPECT_GT(seen.came_back, 10u);
  EXPECT_LT(seen.fewest, pair_count(kRobots) / 3);
}

// All at one speed, as in a formation: what wakes one pair does not wake all others in the same window.
void expect_spread_out(const RadioProfile& profile) {
  constexpr std::size_t kMarching = 150;
  EmbeddedNetsim netsim(std::vector(kMarching, std::make_shared<const RadioProfile>(profile)), {}, 5, nullptr, {}, {},
                        FarPairRule::kAlways);
  Scene scene;
  scene.sights.resize(pair_count(kMarching));
  FrameRandom random(3, 0, 0);
  for (std::size_t i = 0; i < kMarching; ++i) {
    scene.robots.push_back({{2'000 * random.uniform(), 2'000 * random.uniform(), 2}, {}});
  }
  LinkTable table;
  constexpr int kWindows = 600;  // 60 m: all that is looked ahead, more than three times
  std::uint64_t most = 0;
  std::uint64_t in_all = 0;
  constexpr int kFirst = 21;  // windows, until all that sleep do
  for (int window = 0; window < kWindows; ++window) {
    scene.at += Nanoseconds{10'000'000};
    for (std::size_t i = 0; i < kMarching; ++i) {
      scene.robots[i].position.x += i % 2 == 0 ? 0.05 : -0.05;
    }
    netsim.link_states(scene, table);
    const FarPairs far = netsim.far_pairs().front();
    if (window >= kFirst) {
      most = std::max(most, far.visited);
      in_all += far.visited;
    }
  }
  EXPECT_LT(most, in_all / (kWindows - kFirst) * 5 / 4);
  EXPECT_LT(most, pair_count(kMarching) / 2) << "most sleep";
}

TEST(FarPairs, PairsThatSleepTogetherWakeSpreadOut) {
  expect_spread_out(wifi());
  expect_spread_out(wifi_among_still_things());
}

TEST(FarPairs, AlsoWithRadiosAndAntennasOfManyKinds) {
  RadioProfile loud = wifi();
  loud.phy.tx_power += Decibels{3};
  loud.phy.antenna = DipolePattern{};
  RadioProfile deaf = wifi();
  deaf.phy.sensitivity = Dbm{-80};
  std::vector<std::shared_ptr<const RadioProfile>> radios;
  for (std::size_t i = 0; i < kRobots; ++i) {
    radios.push_back(std::make_shared<const RadioProfile>(i % 3 == 0 ? loud : i % 3 == 1 ? deaf : wifi()));
  }
  Both both(radios);
  Circles circles(kRobots, 8000);
  const Seen seen = compare(both, circles, 200, 0.001);
  EXPECT_GT(seen.came_back, 2u);
  EXPECT_LT(seen.fewest, pair_count(kRobots) / 2);
}

TEST(FarPairs, AlsoWithFadingThatDiffersOverTheBand) {
  RadioProfile profile = wifi();
  profile.channel.fading.los = TdlFading{.line = "TDL-D", .delay_spread = Nanoseconds{30}};
  profile.channel.fading.nlos = TdlFading{.line = "TDL-A", .delay_spread = Nanoseconds{20}};
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(profile)));
  Circles circles(kRobots, 8000);
  const Seen seen = compare(both, circles, 60, 0.003);
  EXPECT_GT(seen.audible, 100u);
  EXPECT_LT(seen.fewest, pair_count(kRobots)) << "some were left out";
}

TEST(FarPairs, LeapsAreSeenByAll) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 8000);
  const Seen seen = compare(both, circles, 30, 0.13);  // kilometres from window to window
  EXPECT_GT(seen.audible, 100u);
}

TEST(FarPairs, SameSceneTwiceIsTheSame) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 4000);
  LinkTable once, again;
  for (int window = 0; window < 20; ++window) {
    both.culled.link_states(circles.at(0.002 * window, window), once);
  }
  both.culled.link_states(circles.at(0.038, 19), again);
  for (std::size_t link = 0; link < once.links.size(); ++link) {
    ASSERT_EQ(once.links[link].reachable, again.links[link].reachable);
    if (once.links[link].reachable) {
      EXPECT_EQ(once.links[link].rssi_dbm, again.links[link].rssi_dbm);
      EXPECT_EQ(once.links[link].unicast.per_bit, again.links[link].unicast.per_bit);
    }
  }
}

TEST(FarPairs, ReportsWhyAllAreComputed) {
  const auto reason = [](const RadioProfile& profile, std::size_t robots, FarPairRule rule) {
    const std::vector radios(robots, std::make_shared<const RadioProfile>(profile));
    return EmbeddedNetsim(radios, {}, 1, nullptr, {}, {}, rule).far_pairs().at(0).computed_because;
  };
  EXPECT_EQ(reason(wifi(), kManyRadios, FarPairRule::kWhereMany), "");
  EXPECT_EQ(reason(wifi(), kManyRadios - 1, FarPairRule::kWhereMany), "fewer than 128 radios");
  EXPECT_EQ(reason(wifi(), 200, FarPairRule::kNever), "asked for");
  RadioProfile profile = wifi();
  profile.channel.path_loss = TgppRma{};
  EXPECT_EQ(reason(profile, 2, FarPairRule::kAlways), "path loss tgpp_rma");
  profile = wifi();
  profile.channel.draws_sight = true;
  EXPECT_EQ(reason(profile, 2, FarPairRule::kAlways), "line of sight is drawn");
  profile = wifi();
  profile.mac.rate_control.type = RateControl::Type::kMinstrel;
  EXPECT_EQ(reason(profile, 2, FarPairRule::kAlways), "rate control minstrel");
}

TEST(FarPairs, AGivenLossCountsAtAnyDistance) {
  Both both(std::vector(kRobots, std::make_shared<const RadioProfile>(wifi())));
  Circles circles(kRobots, 8000);
  const Scene& scene = circles.at(0, 0);
  LinkTable table;
  both.culled.link_states(scene, table);  // all pairs, as in every first window
  both.culled.link_states(scene, table);
  AirChanges changes;
  changes.path_loss_db.assign(kRobots * kRobots, std::nan(""));
  std::size_t silent = 1;
  while (silent < table.links.size() && (silent % (kRobots + 1) == 0 || table.links[silent].rssi_dbm != 0)) {
    ++silent;
  }
  ASSERT_LT(silent, table.links.size()) << "all robots hear one another";
  changes.path_loss_db[silent] = 70;
  both.culled.change(changes);
  both.culled.link_states(scene, table);
  EXPECT_TRUE(table.links[silent].reachable);
  both.culled.change({});
  both.culled.link_states(scene, table);
  EXPECT_FALSE(table.links[silent].reachable);
}

TEST(FarPairs, NoPairLosesLessBeyondTheGreatestRange) {
  constexpr double kLowest = 0.1;  // m; models take lower antennas as that high, and then as less far apart
  for (const double hertz : {433e6, 2.4e9, 5.8e9}) {
    const Carrier carrier(Hertz{hertz});
    for (const auto& [model_name, model] : models_by_name<PathLossModel>()) {
      if (!greatest_range_m(model, {100}, 1, carrier)) {
        continue;  // it has no bound that rises with the distance
      }
      const auto row = static_cast<std::uint32_t>(model.index());
      FrameRandom random(3, row, static_cast<std::uint64_t>(hertz));  // whatever the other rows draw
      FrameRandom sights(5, row, static_cast<std::uint64_t>(hertz));
      for (const double highest_m : {1.0, 12.0, 30.0, 300.0}) {
        for (const double loss_db : {70.0, 100.0, 130.0}) {
          const bool blocked = sights.uniform() < 0.5;
          const double range_m = greatest_range_m(model, {loss_db}, highest_m, carrier, blocked).value();
          EXPECT_LE(range_m, greatest_range_m(model, {loss_db}, highest_m, carrier).value()) << name(model);
          for (int i = 0; i < 200 && std::isfinite(range_m); ++i) {
            const double one_m = kLowest + (highest_m - kLowest) * random.uniform();
            const double other_m = i % 4 == 0 ? highest_m : kLowest + (highest_m - kLowest) * random.uniform();
            PairGeometry pair{.high_m = std::max(one_m, other_m),
                              .low_m = std::min(one_m, other_m),
                              .base = PairBase{static_cast<std::uint64_t>(i / 4 % 3)}};
            pair.d3d_m = std::max(range_m * (1 + (i % 2) * random.uniform()), pair.high_m);
            pair.d2d_m = std::sqrt(pair.d3d_m * pair.d3d_m - std::pow(pair.high_m - pair.low_m, 2));
            pair.line_of_sight = !blocked && i % 3 != 0;
            EXPECT_GT(path_loss(model, pair, carrier).value, loss_db - 0.01)
                << name(model) << ' ' << pair.d3d_m << " m, " << pair.high_m << " and " << pair.low_m << " m high";
          }
        }
      }
    }
  }
}

// Antennas of two heights, on the ground and in the air, against the range of two that are equally high.
TEST(FarPairs, NorBeyondThatOfEqualHeights) {
  FrameRandom random(4, 0, 0);
  for (const double hertz : {433e6, 2.4e9, 5.8e9}) {
    const Carrier carrier(Hertz{hertz});
    for (const PathLossModel& model : {PathLossModel{TgppUmi{}}, PathLossModel{TgppUma{}}, PathLossModel{Friis{}}}) {
      for (int i = 0; i < 3000; ++i) {
        const double one_m = (i % 5 == 0 ? 100 : 22.5) * random.uniform();
        const double other_m = (i % 3 == 0 ? 2 : 22.5) * random.uniform();
        PairGeometry pair{.high_m = std::max(one_m, other_m),
                          .low_m = std::min(one_m, other_m),
                          .base = PairBase{static_cast<std::uint64_t>(i / 5 % 3)}};
        const double loss_db = 70 + 70 * random.uniform();
        const double equal_m = equal_height_m(model, pair.high_m, pair.low_m, carrier);
        pair.line_of_sight = i % 4 != 0;
        const double range_m = greatest_range_m(model, {loss_db}, equal_m, carrier, !pair.line_of_sight).value();
        pair.d3d_m = std::max(range_m * (1 + (i % 2) * random.uniform()), pair.high_m);
        pair.d2d_m = std::sqrt(pair.d3d_m * pair.d3d_m - std::pow(pair.high_m - pair.low_m, 2));
        ASSERT_GT(path_loss(model, pair, carrier).value, loss_db - 0.01)
            << name(model) << ' ' << pair.d3d_m << " m, " << pair.high_m << " and " << pair.low_m << " m high";
      }
    }
  }
}

}  // namespace
}  // namespace hilgate::test
