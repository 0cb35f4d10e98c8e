// SPDX-License-Identifier: Apache-2.0
// DPDK's net_null as a source and sink of frames that the path knows what to do with.
#pragma once

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "bench/path/bench_path.h"
#include "clock/tsc_clock.h"
#include "dpdk/dpdk_port.h"

namespace hilgate {

/// One of the devices that frames come from and go to: all its frames have one size.
struct NullDevice {
  std::string device;  // "net_null0"
  std::uint32_t size = 64;
  unsigned share = 1;  // of bursts that come from it, in a round over all devices of the port
};

/// A port of the robot `from`. Devices give frames of zeros without end: each gets its MAC header here. Satisfies
/// FramePort.
class NullPort {
 public:
  static constexpr std::size_t kBurst = 64;
  static constexpr std::size_t kMostWaiting = 4096;  // in the ring to another core: more is not captured

  NullPort(unsigned from, const std::vector<NullDevice>& devices, MbufPool& pool, const TscClock& clock)
      : from_(from), header_(bench_header(from)), far_header_(header_), clock_(clock) {
    for (const NullDevice& device : devices) {
      devices_.push_back({std::make_unique<DpdkPort>(DpdkPortOptions{.name = device.device,
                                                                     .device = device.device,
                                                                     .frame_limit = std::max(device.size, 128U)},
                                                     pool, clock),
                          device.size});
      pattern_.insert(pattern_.end(), device.share, devices_.size() - 1);
    }
  }

  std::size_t capture(std::span<Frame> burst) {
    if (far_ring_ != nullptr && far_ring_->waiting() > kMostWaiting) {
      return 0;
    }
    const std::uint64_t start = read_tsc();
    if (interval_ns_ > 0) {
      burst = burst.first(std::min<std::size_t>(burst.size(), waiting()));
    }
    const std::size_t count = burst.empty() ? 0 : next_device().capture(burst);
    const auto& header = is_far_burst() ? far_header_ : header_;
    for (const Frame& frame : burst.first(count)) {
      std::memcpy(frame.data, header.data(), header.size());
    }
    taken_ += count;
    receive_cycles += read_tsc() - start;
    return count;
  }
  bool release(const Frame& frame) {
    Device& device = device_for(frame);
    if (device.waiting == kBurst) {
      send(device);
    }
    ++device.waiting;
    return device.port->release(frame);
  }
  void flush() {
    for (Device& device : devices_) {
      send(device);
    }
  }

  /// From now on its robot sends to `near`, and of each hundred bursts `percent` to `far`, over `ring` to another core:
  /// no more than is taken out of it there.
  void send_to(unsigned near, unsigned far, unsigned percent, const CrossingRing* ring) {
    far_ring_ = ring;
    header_ = bench_header(from_, near);
    far_header_ = bench_header(from_, far);
    far_percent_ = percent;
  }
  /// From now on frames arrive evenly, so many per second, in a queue of `limit`; what finds it full is lost.
  void offer(double pps, std::uint64_t limit) {
    interval_ns_ = 1e9 / pps;
    limit_ = limit;
    start_ = clock_.now();
    taken_ = lost_ = 0;
  }
  void offer_without_end() { interval_ns_ = 0; }
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// Frames that have arrived and were not taken.
  std::uint64_t waiting() {
    const auto since = static_cast<double>((clock_.now() - start_).count());
    const std::uint64_t arrived = static_cast<std::uint64_t>(since / interval_ns_) - lost_;
    const std::uint64_t queued = arrived - std::min(arrived, taken_);
    if (queued > limit_) {
      lost_ += queued - limit_;
    }
    return std::min(queued, limit_);
  }

  std::uint64_t receive_cycles = 0;
  std::uint64_t transmit_cycles = 0;

 private:
  struct Device {
    std::unique_ptr<DpdkPort> port;
    std::uint32_t size = 0;
    std::size_t waiting = 0;
  };

  bool is_far_burst() {
    far_owed_ += far_percent_;
    const bool far = far_owed_ >= 100;
    far_owed_ -= far ? 100 : 0;
    return far;
  }
  DpdkPort& next_device() {
    const std::size_t at = next_;
    next_ = next_ + 1 < pattern_.size() ? next_ + 1 : 0;
    return *devices_[pattern_[at]].port;
  }
  Device& device_for(const Frame& frame) {
    for (Device& device : devices_) {
      if (device.size == frame.length) {
        return device;
      }
    }
    return devices_.front();
  }
  void send(Device& device) {
    const std::uint64_t start = read_tsc();
    device.port->flush();
    device.waiting = 0;
    transmit_cycles += read_tsc() - start;
  }

  unsigned from_;
  std::array<std::byte, kEthernetHeader> header_;
  std::array<std::byte, kEthernetHeader> far_header_;
  const CrossingRing* far_ring_ = nullptr;
  unsigned far_percent_ = 0;
  unsigned far_owed_ = 0;  // percent of a burst
  TscReader clock_;
  std::vector<Device> devices_;
  std::vector<std::size_t> pattern_;  // which device gives the next burst
  std::size_t next_ = 0;
  double interval_ns_ = 0;  // 0: without end
  std::uint64_t limit_ = 0;
  std::uint64_t taken_ = 0;
  std::uint64_t lost_ = 0;
  HostTime start_{};
};

static_assert(FramePort<NullPort>);

}  // namespace hilgate
