// SPDX-License-Identifier: Apache-2.0
// What the core costs per frame, on ports that cost next to nothing: google-benchmark, preset release.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "path/addresses/directory.h"
#include "path/fate/error_meter.h"
#include "path/frame_path.h"
#include "rf_profiles/numeric/random.h"
#include "tests/path/air/overlap_air.h"
#include "tests/support/fake_clock.h"
#include "tests/support/gateway_rig.h"
#include "tests/support/packets.h"

namespace hilgate::test {
namespace {

using namespace std::chrono_literals;

// Frames without owners to count: benchmarks measure the path and not the test's memory.
class FlatPool {
 public:
  void share(const Frame&, std::uint32_t) {}
  void free(const Frame&) {}
  bool is_shared(const Frame&) { return false; }
  std::optional<Frame> copy(const Frame& frame) { return frame; }
  std::optional<Frame> make(std::span<const std::byte>) { return std::nullopt; }  // nobody injects
  static bool move_start(Frame&, int) { return false; }
  template <class Each>
  void for_each_segment(const Frame& frame, Each each) {
    each(std::span(frame.data, frame.length));
  }
  std::byte* note(const Frame&) { return note_.data(); }  // nobody captures
  static void fetch(const Frame&) {}

 private:
  std::array<std::byte, kNoteBytes> note_{};
};

// Gives the same frames again and again, stamped with the clock.
class LoopPort {
 public:
  LoopPort(FakeClock& clock, std::vector<Bytes>& frames, bool sends)
      : clock_(&clock), frames_(&frames), sends_(sends) {}
  std::size_t capture(std::span<Frame> burst) {
    if (!sends_) {
      return 0;
    }
    for (Frame& frame : burst) {
      Bytes& bytes = (*frames_)[next_++ % frames_->size()];
      const auto length = static_cast<std::uint32_t>(bytes.size());
      frame = {.data = bytes.data(), .arrived = clock_->now(), .length = length, .head_length = length};
    }
    return burst.size();
  }
  bool release(const Frame&) {
    ++released;
    return true;
  }
  void flush() {}

  std::uint64_t released = 0;

 private:
  FakeClock* clock_;
  std::vector<Bytes>* frames_;
  bool sends_;
  std::size_t next_ = 0;
};

// Turns of 64 frames of 64 bytes from robot 0.
void path_per_frame(benchmark::State& state, double ber, bool flows_change) {
  FakeClock clock;
  FlatPool pool;
  std::vector<Bytes> frames;
  for (unsigned i = 0; i < 64; ++i) {
    frames.push_back(udp_frame(1, flows_change ? 2 + i % 2 : 2, 22, i));
  }
  const PathSettings settings = plain_settings(3);
  LinkTableFeed feed(settings.air.rules.size());
  for (LinkState& link : feed.back().links) {
    link.unicast = hazard_of(ber);
  }
  feed.publish();
  LoopPort ports[3] = {{clock, frames, true}, {clock, frames, false}, {clock, frames, false}};
  FramePath path(settings, std::vector<LoopPort*>{&ports[0], &ports[1], &ports[2]}, pool, feed);
  for (auto _ : state) {
    clock.advance(1us);
    path.iterate(clock);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(path.totals().frames_captured));
}
BENCHMARK_CAPTURE(path_per_frame, clean, 0, false);
BENCHMARK_CAPTURE(path_per_frame, ber_1e5, 1e-5, false);
BENCHMARK_CAPTURE(path_per_frame, flows_change, 0, true);

// A frame in and a frame out, with so many held, spread over 90 links.
void hold_push_pop(benchmark::State& state) {
  const auto held = static_cast<std::size_t>(state.range(0));
  constexpr std::uint32_t kLinks = 90;
  Hold hold(held + 1, kLinks);
  HostTime now{1s};
  std::uint32_t link = 0;
  const auto push = [&](Nanoseconds delay) { hold.push(LinkSlot{link++ % kLinks}, HeldFrame{.due = now + delay}); };
  const auto span = Nanoseconds{static_cast<std::int64_t>(held)};
  for (std::size_t i = 0; i < held; ++i) {
    push(Nanoseconds{static_cast<std::int64_t>(i)});
  }
  std::uint64_t out = 0;
  for (auto _ : state) {
    now += 1ns;
    hold.pop_due(now, [&out](LinkSlot, std::span<HeldFrame> run) { out += run.size(); });
    push(span);
  }
  state.SetItemsProcessed(state.iterations());
  benchmark::DoNotOptimize(out);
}
BENCHMARK(hold_push_pop)->Arg(1'000)->Arg(100'000)->Arg(1'000'000);

void classifier(benchmark::State& state) {
  std::vector<RobotEntry> robots;
  const auto count = static_cast<std::uint32_t>(state.range(0));
  for (std::uint32_t i = 0; i < count; ++i) {
    robots.push_back({PortSlot{i}, {mac_of(i + 1)}, {}});
  }
  Directory directory(robots);
  const Bytes frame = udp_frame(1, count, 22);
  for (auto _ : state) {
    const auto ethernet = parse_ethernet(frame);
    benchmark::DoNotOptimize(directory.sender(PortSlot{0}, *ethernet));
    benchmark::DoNotOptimize(directory.receivers(RobotSlot{0}, frame, *ethernet));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(classifier)->Arg(2)->Arg(50);

void error_meter(benchmark::State& state, double ber) {
  ErrorMeter meter(FrameRandom(1, 1, 0));
  std::uint64_t frame = 0;
  const BitHazard hazard = hazard_of(ber);
  for (auto _ : state) {
    if (!meter.clean(12'000, hazard)) {
      FrameRandom random(1, 1, ++frame);
      meter.restart(random);
    }
    benchmark::DoNotOptimize(meter);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK_CAPTURE(error_meter, ber_1e7, 1e-7);
BENCHMARK_CAPTURE(error_meter, ber_1e4, 1e-4);

// One transmission of stations all over a square of 2 km, each of which always has frames to its nearest neighbour. By
// the same measure a medium where all sense all is the yardstick of one where carriers are sensed up to 450 m.
void transmission(benchmark::State& state, MediumAccess access) {
  const auto stations = static_cast<std::uint32_t>(state.range(0));
  OverlapAir air(stations, kSense, 4, {}, access);
  FrameRandom random(1, 0, 0);
  std::vector<std::array<double, 2>> places(stations);
  for (std::array<double, 2>& place : places) {
    place = {2000 * random.uniform(), 2000 * random.uniform()};
  }
  std::vector<std::uint32_t> nearest(stations);
  for (std::uint32_t from = 0; from < stations; ++from) {
    double least = 1e9;
    for (std::uint32_t to = 0; to < stations; ++to) {
      const double distance = std::hypot(places[from][0] - places[to][0], places[from][1] - places[to][1]);
      air.power(from, to, static_cast<float>(-29 - 20 * std::log10(std::max(distance, 1.0))));
      if (to != from && distance < least) {
        least = distance;
        nearest[from] = to;
      }
    }
  }
  HostTime now = kOverlapStart;
  std::int64_t ended = 0;
  for (auto _ : state) {
    for (std::uint32_t station = 0; station < stations; ++station) {
      while (air.send(station, OverlapAir::job(now, nearest[station], 7))) {
      }
    }
    now += 1ms;
    ended += static_cast<std::int64_t>(air.advance(now).size());
  }
  state.SetItemsProcessed(ended);
}
BENCHMARK_CAPTURE(transmission, all_sense_all, MediumAccess::kDcf)->Arg(64)->Arg(256);
BENCHMARK_CAPTURE(transmission, carrier_sense, MediumAccess::kOverlappingDcf)->Arg(64)->Arg(256);

}  // namespace
}  // namespace hilgate::test

BENCHMARK_MAIN();
