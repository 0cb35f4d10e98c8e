// SPDX-License-Identifier: Apache-2.0
// What structures for the hold cost per frame: google-benchmark, preset release.
//
// 10 Mpps in turns of 64 frames over 90 links, with so many held. Monotone: every link has one delay, so that its due
// times rise. Scattered: delays are even between 0 and twice the mean, and frames overtake each other.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "path/hold/hold.h"

namespace hilgate::test {
namespace {

constexpr std::uint32_t kLinks = 90;
constexpr std::uint32_t kTurn = 64;
constexpr Nanoseconds kInterval{100};

class Fifos {
 public:
  explicit Fifos(std::size_t frames) : hold_(frames, kLinks) {}
  void push(LinkSlot link, HostTime due) { hold_.push(link, {.due = due}); }
  template <class Each>
  void pop(HostTime now, Each each) {
    hold_.pop_due(now, each);
  }

 protected:
  Hold hold_;
};

class Wheel : public Fifos {
 public:
  using Fifos::Fifos;
  void push(LinkSlot link, HostTime due) { hold_.push_loose(link, {.due = due}); }
};

// What std::priority_queue does, with reserved memory.
class BinaryHeap {
 public:
  explicit BinaryHeap(std::size_t frames) { heap_.reserve(frames); }
  void push(LinkSlot link, HostTime due) {
    heap_.push_back({.due = due, .order = order_++, .link = link});
    std::push_heap(heap_.begin(), heap_.end(), later);
  }
  template <class Each>
  void pop(HostTime now, Each each) {
    while (!heap_.empty() && heap_.front().due <= now) {
      std::pop_heap(heap_.begin(), heap_.end(), later);
      each(heap_.back().link, std::span(&heap_.back(), 1));
      heap_.pop_back();
    }
  }

 private:
  static bool later(const HeldFrame& a, const HeldFrame& b) {
    return a.due != b.due ? a.due > b.due : a.order > b.order;
  }
  std::vector<HeldFrame> heap_;
  std::uint64_t order_ = 0;
};

enum Delays { kMonotone, kScattered };

template <class Structure, Delays kDelays>
void hold(benchmark::State& state) {
  const auto held = static_cast<std::size_t>(state.range(0));
  Structure structure(held + held / 4 + 4 * kTurn);
  const std::int64_t mean = static_cast<std::int64_t>(held) * kInterval.count();
  std::uint64_t random = 1;
  std::uint32_t link = 0;
  std::uint64_t out = 0;
  HostTime now{std::chrono::hours{1}};
  const auto turn = [&] {
    now += kInterval * kTurn;
    structure.pop(now, [&out](LinkSlot, std::span<HeldFrame> run) { out += run.size() + run.front().link.value(); });
    for (std::uint32_t i = 0; i < kTurn; ++i) {
      random = random * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
      const auto even = static_cast<std::int64_t>((random >> 33) * 2 * static_cast<std::uint64_t>(mean) >> 31);
      structure.push(LinkSlot{link}, now + Nanoseconds{kDelays == kScattered ? even : mean - link});
      link = link + 1 < kLinks ? link + 1 : 0;
    }
  };
  for (std::size_t i = 0; i < 2 * held / kTurn + 1; ++i) {
    turn();  // until as many leave as come
  }
  for (auto _ : state) {
    turn();
  }
  state.SetItemsProcessed(state.iterations() * kTurn);
  benchmark::DoNotOptimize(out);
}

void loads(benchmark::internal::Benchmark* bench) {
  bench->Arg(1'000)->Arg(100'000)->Arg(8'000'000)->Iterations(50'000);
}
BENCHMARK(hold<Fifos, kMonotone>)->Apply(loads);
BENCHMARK(hold<Wheel, kMonotone>)->Apply(loads);
BENCHMARK(hold<BinaryHeap, kMonotone>)->Apply(loads);
BENCHMARK(hold<Wheel, kScattered>)->Apply(loads);
BENCHMARK(hold<BinaryHeap, kScattered>)->Apply(loads);

}  // namespace
}  // namespace hilgate::test

BENCHMARK_MAIN();
