// SPDX-License-Identifier: Apache-2.0
// Time of one link-state update: all pairs of N robots on the move, path loss, shadowing, fading, rate choice, errors.
// ns3_links_bench times what ns-3 does for the same.
#include <benchmark/benchmark.h>

#include <chrono>
#include <cmath>
#include <memory>

#include "netsim_link/embedded/embedded_netsim.h"
#include "physics_link/trajectory/trajectory_physics.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

std::shared_ptr<const RadioProfile> radio(const FadingLaw& fading) {
  RadioProfile profile = load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/wifi_11n_2g4_adhoc.yaml");
  profile.channel.fading.los = profile.channel.fading.nlos = fading;
  return std::make_shared<const RadioProfile>(profile);
}

/// Robots all over a square kilometre, every fifth pair out of sight behind one wall.
Scene scatter(std::size_t robots) {
  FrameRandom random(1, 0, 0);
  Scene scene;
  for (std::size_t i = 0; i < robots; ++i) {
    scene.robots.push_back({{1000 * random.uniform(), 1000 * random.uniform(), 1 + 20 * random.uniform()}, {}});
  }
  scene.sights.resize(pair_count(robots));
  for (std::size_t i = 0; i < scene.sights.size(); i += 5) {
    scene.sights[i].line_of_sight = false;
    scene.sights[i].walls.push_back({0, 0.2, 0.5});
  }
  return scene;
}

void update_links(benchmark::State& state, const FadingLaw& fading) {
  const auto robots = static_cast<std::size_t>(state.range(0));
  const auto profile = radio(fading);
  EmbeddedNetsim netsim({robots, profile}, {builtin_material("concrete").value()}, 1);
  Scene scene = scatter(robots);
  LinkTable table;
  for (auto _ : state) {
    scene.at += Nanoseconds{1'000'000};
    for (Pose& pose : scene.robots) {
      pose.position.x += 0.005;  // 5 m/s in windows of 1 ms
    }
    netsim.link_states(scene, table);
    benchmark::DoNotOptimize(table.links.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(robots * (robots - 1)));
}

/// Houses of 12 m by 10 m and 4 to 16 m high, on a grid of 20 m, as many as asked for: 10 000 are a square of 2 km.
Obstacles town(std::size_t houses) {
  const auto side = static_cast<std::size_t>(std::ceil(std::sqrt(houses)));
  FrameRandom random(2, 0, 0);
  std::vector<Prism> prisms;
  for (std::size_t i = 0; i < houses; ++i) {
    const double x = 20.0 * static_cast<double>(i % side);
    const double y = 20.0 * static_cast<double>(i / side);
    prisms.push_back({.rings = {{{x, y}, {x + 12, y}, {x + 12, y + 10}, {x, y + 10}}},
                      .base_m = 0,
                      .top_m = 4 + 12 * random.uniform(),
                      .material = 0,
                      .wall_m = {},
                      .fixed_loss_db = 14});
  }
  return {{}, houses > 0 ? std::make_shared<const Buildings>(std::move(prisms)) : nullptr};
}

/// A window of 256 robots on the move in the streets of such a town: what is between them, and their links.
void update_in_town(benchmark::State& state) {
  constexpr std::size_t kRobots = 256;
  const auto profile = radio(NoFading{});
  EmbeddedNetsim netsim({kRobots, profile}, {builtin_material("building").value()}, 1);
  FrameRandom random(3, 0, 0);
  std::vector<Track> tracks;
  for (std::size_t i = 0; i < kRobots; ++i) {
    const Vec3 from{2000 * random.uniform(), 2000 * random.uniform(), 1 + 2 * random.uniform()};
    tracks.push_back({{.at = SimTime{}, .position = from},
                      {.at = SimTime{std::chrono::hours(1)}, .position = {from.x + 18'000, from.y, from.z}}});
  }
  TrajectoryPhysics physics(std::move(tracks), town(static_cast<std::size_t>(state.range(0))));
  Scene scene;
  LinkTable table;
  SimTime at{};
  for (auto _ : state) {
    at += Nanoseconds{1'000'000};
    physics.scene_at(at, scene);
    netsim.link_states(scene, table);
    benchmark::DoNotOptimize(table.links.data());
  }
}

BENCHMARK(update_in_town)->Arg(0)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, no_fading, NoFading{})->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, rice, RiceFading{.k = 4})->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, nakagami, NakagamiFading{.m = 1.5})->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, tdl, TdlFading{})->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hilgate::test

BENCHMARK_MAIN();
