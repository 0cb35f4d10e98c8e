// SPDX-License-Identifier: Apache-2.0
// Time of one link-state update: all pairs of N robots on the move, path loss, shadowing, fading, rate choice, errors.
// ns3_links_bench times what ns-3 does for the same.
#include <benchmark/benchmark.h>

#include <memory>

#include "netsim_link/embedded/embedded_netsim.h"
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

BENCHMARK_CAPTURE(update_links, no_fading, NoFading{})->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, rice, RiceFading{.k = 4})->Arg(64)->Arg(256)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, nakagami, NakagamiFading{.m = 1.5})->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(update_links, tdl, TdlFading{})->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hilgate::test

BENCHMARK_MAIN();
