// SPDX-License-Identifier: Apache-2.0
// What a record of moving robots costs for each window: the copy on the control thread, the encoding on the record's
// thread, and bytes in the file. 1000 windows of 1 ms are a second: bytes of a window in kB are MB/s.
#include <benchmark/benchmark.h>

#include <cmath>
#include <memory>

#include "gateway/record/link_table_codec.h"
#include "host/mcap/mcap_writer.h"
#include "netsim_link/embedded/embedded_netsim.h"
#include "rf_profiles/numeric/random.h"
#include "rf_profiles/profile/profile_loader.h"

namespace hilgate::test {
namespace {

constexpr std::size_t kWindows = 200;

/// Tables of successive windows of robots on a square kilometre, each on a straight way of its own at 5 m/s.
std::vector<LinkTable> tables_of(const std::string& name, std::size_t robots) {
  const auto profile = std::make_shared<const RadioProfile>(
      load_radio_profile(HILGATE_SOURCE_DIR "/rf_profiles/profiles/" + name + ".yaml"));
  EmbeddedNetsim netsim({robots, profile}, {}, 1);
  FrameRandom random(1, 0, 0);
  Scene scene;
  std::vector<Vec3> steps;
  for (std::size_t i = 0; i < robots; ++i) {
    scene.robots.push_back({{1000 * random.uniform(), 1000 * random.uniform(), 1 + 20 * random.uniform()}, {}});
    const double angle = 6.28 * random.uniform();
    steps.push_back({0.005 * std::cos(angle), 0.005 * std::sin(angle), 0});
  }
  scene.sights.resize(pair_count(robots));
  std::vector<LinkTable> tables(kWindows);
  for (std::size_t window = 0; window < kWindows; ++window) {
    scene.at += Nanoseconds{1'000'000};
    for (std::size_t i = 0; i < robots; ++i) {
      scene.robots[i].position.x += steps[i].x;
      scene.robots[i].position.y += steps[i].y;
    }
    netsim.link_states(scene, tables[window]);
    tables[window].window = window;
  }
  return tables;
}

void encode(benchmark::State& state, const char* profile) {
  const auto tables = tables_of(profile, static_cast<std::size_t>(state.range(0)));
  LinkTableEncoder encoder;
  McapWriter file("/dev/null", "");
  const auto channel = file.add_channel({.topic = "/links"});
  std::size_t encoded = 0;
  std::size_t window = 0;
  static_cast<void>(encoder.encode(tables.back()));
  for (auto _ : state) {
    if (window % kWindows == 0) {  // the way back to the first window is no step
      state.PauseTiming();
      static_cast<void>(encoder.encode(tables.front()));
      ++window;
      state.ResumeTiming();
    }
    const std::string message = encoder.encode(tables[window++ % kWindows]);
    encoded += message.size();
    file.write(channel, Nanoseconds{static_cast<std::int64_t>(window)}, message);
  }
  file.end_chunk();
  const auto windows = static_cast<double>(state.iterations());
  state.counters["encoded_per_window"] = static_cast<double>(encoded) / windows;
  state.counters["bytes_per_window"] = static_cast<double>(file.bytes()) / windows;
}

void copy(benchmark::State& state) {
  const auto tables = tables_of("wifi_11n_2g4_adhoc", static_cast<std::size_t>(state.range(0)));
  std::vector<LinkTable> waiting(16);
  std::size_t window = 0;
  for (auto _ : state) {
    waiting[window % waiting.size()] = tables[window % kWindows];
    ++window;
    benchmark::ClobberMemory();
  }
}

BENCHMARK(copy)->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(encode, wifi_11n, "wifi_11n_2g4_adhoc")->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(encode, wifi_11ac, "wifi_11ac_80")->Arg(64)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(encode, elrs, "elrs_2g4_250")->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hilgate::test

BENCHMARK_MAIN();
