// SPDX-License-Identifier: Apache-2.0
// Frames per second through the whole path with so many held, against a thousand held.
//
// net_null gives as many frames as the path takes; the delay is chosen as frames / rate, so that so many are held in
// the steady state, and corrected by the rate that this has brought until they are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

#include "bench/path/bench_memory.h"
#include "bench/path/null_port.h"
#include "bench/path/path_bench.h"

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr std::uint32_t kSize = 64;
constexpr std::uint64_t kFew = 1000;
constexpr std::uint64_t kMost = 3'000'000'000;
constexpr std::uint64_t kPathBytesPerFrame = 80;  // hold and damage notes

// Rings, caches, and that the rate is not even.
std::uint32_t pool_frames(std::uint64_t held) {
  return static_cast<std::uint32_t>(held + held / 4 + 16'384);
}

Nanoseconds time_for(std::uint64_t frames, double pps) {
  return Nanoseconds{static_cast<std::int64_t>(static_cast<double>(frames) / pps * 1e9)};
}

/// A path with two devices and memory of its own.
class HoldRig {
 public:
  HoldRig(std::uint64_t frames, unsigned first_device, const TscClock& clock)
      : frames_(frames), pool_(fmt::format("bench{}", first_device), pool_frames(frames), kSize) {
    for (unsigned robot = 0; robot < 2; ++robot) {
      const NullDevice device{fmt::format("net_null{}", first_device + robot), kSize, 1};
      ports_.push_back(std::make_unique<NullPort>(robot, std::vector{device}, pool_, clock));
    }
    path_.emplace(bench_settings(pool_frames(frames)), std::vector{ports_[0].get(), ports_[1].get()}, pool_, clock);
  }

  [[nodiscard]] std::size_t bytes() const { return path_->bytes() + pool_.bytes(); }

  /// Looks for the delay that makes `frames` held of what the path takes.
  void settle() { measure(kShortest); }

  /// For `duration` with about as many held; again when the machine's rate has changed so much that it was not.
  Measured measure(Nanoseconds duration) {
    Measured measured = run(duration);
    for (int step = 0; step < kMostSteps && !is_near(measured.held); ++step) {
      measured = run(duration);
    }
    return measured;
  }

 private:
  /// Frames are held for `frames` / the rate of the time before. When the rate is more than that, memory is what limits
  /// it: then it is guessed again, not so high that far fewer are held.
  Measured run(Nanoseconds duration) {
    const Nanoseconds delay = time_for(frames_, guess_);
    path_->set_air(delay, kBitErrorRate);
    path_->run(2 * delay + 5ms);
    const Measured measured = path_->run(std::max(duration, kShortest));
    const bool is_full = measured.held > 1.2 * static_cast<double>(frames_);
    // Not far from the last guess: the machine may have been doing something else.
    guess_ = is_full ? 1.3 * guess_ : std::clamp(measured.pps(), guess_ / 4, guess_ * 4);
    return measured;
  }
  static constexpr int kMostSteps = 8;
  static constexpr Nanoseconds kShortest = 50ms;

  [[nodiscard]] bool is_near(double held) const { return std::abs(held / static_cast<double>(frames_) - 1) < 0.08; }

  std::uint64_t frames_;
  double guess_ = 10e6;
  MbufPool pool_;
  std::vector<std::unique_ptr<NullPort>> ports_;
  std::optional<BenchPath<NullPort>> path_;
};

struct Rounds {
  std::vector<Measured> few, many;
};

const Measured& median(std::vector<Measured>& measured) {
  std::ranges::sort(measured, {}, &Measured::pps);
  return measured[measured.size() / 2];
}

Rounds measure(HoldRig& few, HoldRig& many, Nanoseconds duration) {
  const int rounds = duration >= 3s ? 3 : 1;
  few.settle();
  many.settle();
  Rounds all;
  for (int round = 0; round < rounds; ++round) {
    all.few.push_back(few.measure(duration / (2 * rounds)));
    all.many.push_back(many.measure(duration / (2 * rounds)));
  }
  return all;
}

}  // namespace

int bench_hold_command(const HoldBenchOptions& options) {
  if (options.frames < kFew || options.frames > kMost) {
    throw std::runtime_error(fmt::format("--frames {}: allowed are {} to {} frames", options.frames, kFew, kMost));
  }
  const std::uint64_t most = pool_frames(options.frames);
  const BenchCore core;
  const BenchMemory memory = bench_memory(mbuf_bytes(most, kSize) + mbuf_bytes(pool_frames(kFew), kSize),
                                          most * kPathBytesPerFrame, fmt::format("--frames {}", options.frames));
  std::vector<std::string> devices;
  for (int i = 0; i < 4; ++i) {
    devices.push_back(fmt::format("net_null{},size={},copy=1", i, kSize));
  }
  const Eal eal(bench_eal(memory, devices));
  core.stay();
  const BenchClock clock(core.first());
  HoldRig few(kFew, 0, clock);
  HoldRig many(options.frames, 2, clock);
  Rounds rounds = measure(few, many, options.duration);
  const Measured& with_few = median(rounds.few);
  const Measured& with_many = median(rounds.many);
  const double ratio = with_many.pps() / with_few.pps();
  if (options.json) {
    print_json({{"pps", with_many.pps()},
                {"pps_1k", with_few.pps()},
                {"ratio", ratio},
                {"frames", options.frames},
                {"held", with_many.held},
                {"held_1k", with_few.held},
                {"memory_bytes", many.bytes()},
                {"memory", memory.name()},
                {"cpu", core.measured()}});
    return 0;
  }
  print_bars(fmt::format("net_null, frames of {} bytes, {}, processor {}: {:.2f} of the rate with a thousand held",
                         kSize, memory.name(), core.measured(), ratio),
             {{fmt::format("{:.0f} held", with_few.held), with_few.pps(), with_prefix(with_few.pps()) + "pps"},
              {fmt::format("{:.0f} held", with_many.held), with_many.pps(), with_prefix(with_many.pps()) + "pps"}});
  fmt::print("  {}B of memory for frames and hold\n", with_prefix(static_cast<double>(many.bytes())));
  return 0;
}

}  // namespace hilgate
