// SPDX-License-Identifier: Apache-2.0
// The packet path between two ports of net_null devices that copy, under loads of one frame size or a mix: with a bit
// error rate of 1e-5 and 1 ms of delay, or another, on one core.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/path/null_port.h"
#include "bench/rate_search.h"

namespace hilgate {

struct Load {
  std::string name;
  std::vector<NullDevice> devices;  // of one port; without their names

  [[nodiscard]] double mean_size() const;
};

/// Of "64" to "1518", "imix" (7, 4 and 1 frames of 64, 570 and 1518 bytes), or "all". Throws std::runtime_error.
std::vector<Load> loads_of(const std::string& word);

/// What DPDK must have been started with for these loads, one after the other.
struct LoadDevices {
  explicit LoadDevices(const std::vector<Load>& loads);
  std::vector<std::string> words;  // "net_null0,size=64,copy=1"
  std::uint16_t largest = 0;       // bytes
};

/// What forward(), which returns how many frames it has forwarded, makes of `duration`; frames per second. The calling
/// thread's.
template <class Forward>
double frames_per_second(const TscClock& tsc, Nanoseconds duration, Forward forward) {
  TscReader clock(tsc);
  const HostTime start = clock.now();
  HostTime now = start;
  std::uint64_t frames = 0;
  for (; now - start < duration; now = clock.now()) {
    frames += forward();
  }
  return static_cast<double>(frames) / seconds_of(now - start);
}

/// Frames on their way from one port to the other.
struct WaitingFrames {
  std::vector<Frame> frames;
  std::size_t oldest = 0;
};
/// A burst of `from` to `to`, what waited longest first.
std::size_t forward_burst(NullPort& from, NullPort& to, WaitingFrames& waiting, MbufPool& pool);
/// Frames per second between two ports, both ways, without a path. The calling thread's.
double forward_without_path(NullPort& left, NullPort& right, MbufPool& pool, const TscClock& clock,
                            Nanoseconds duration, std::size_t held = 0);

class LoadRig {
 public:
  static constexpr std::uint32_t kPoolFrames = 131'072;  // 1 ms at 100 Mpps and what rings and caches hold

  /// `next_device`: the first of the load's devices; becomes that of the next load.
  LoadRig(const Load& load, unsigned& next_device, MbufPool& pool, const TscClock& clock,
          Nanoseconds delay = std::chrono::milliseconds{1});

  /// As much as the path takes.
  Measured run(Nanoseconds duration);
  /// Frames that arrive evenly at queues, whether the path takes them or not. A queue that is long at the end is lost;
  /// what the simulated air hits in the header is not.
  RateTrial offer(double pps, Nanoseconds duration);
  /// Frames per second that are handed from port to port without a path: what the devices allow. With `held`, so many
  /// of them wait in between, first come, first served: what the devices allow with as much memory in use.
  double forward(Nanoseconds duration, std::size_t held = 0);

 private:
  std::uint64_t header_hits();

  MbufPool& pool_;
  const TscClock& clock_;
  std::vector<std::unique_ptr<NullPort>> ports_;
  std::optional<BenchPath<NullPort>> path_;
  std::uint64_t header_hits_ = 0;
};

}  // namespace hilgate
