// SPDX-License-Identifier: Apache-2.0
// The packet path as benches use it: robots on ports of their own, two of them by default, no radio, the same state of
// the air on all links.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "clock/tsc_clock.h"
#include "dpdk/mbuf_pool.h"
#include "host/processors.h"
#include "path/frame_path.h"

namespace hilgate {

/// Of the links that damage frames.
inline constexpr double kBitErrorRate = 1e-5;

/// The MAC header of frames from one robot to another. The EtherType is one for experiments.
inline std::array<std::byte, kEthernetHeader> bench_header(unsigned from, unsigned to) {
  std::array<std::byte, kEthernetHeader> header{};
  const auto mac = [&header](std::size_t at, unsigned robot) {
    header[at] = std::byte{0x02};
    header[at + 5] = static_cast<std::byte>(robot + 1);
  };
  mac(0, to);
  mac(6, from);
  header[12] = std::byte{0x88};
  header[13] = std::byte{0xB5};
  return header;
}

/// Of robot 0 to robot 1, or back.
inline std::array<std::byte, kEthernetHeader> bench_header(unsigned from) {
  return bench_header(from, 1 - from);
}

inline PathSettings bench_settings(std::size_t hold_frames, ErrorPolicy policy = ErrorPolicy::kCorruptRaw,
                                   std::uint32_t robots = 2) {
  PathSettings settings;
  settings.hold_frames = hold_frames;
  settings.hold_caches = HoldCaches::of(second_cache_bytes());
  settings.air.modes = {PhyMode{.bits_per_symbol = 8}};
  settings.air.stations.resize(robots);
  settings.air.rules.resize(std::size_t{robots} * robots, LinkRules{.policy = policy});
  for (std::uint32_t robot = 0; robot < robots; ++robot) {
    settings.robots.push_back({PortSlot{robot}, {MacAddress{0x0200'0000'0001U + robot}}, {}});
  }
  return settings;
}

/// Where the cycles of the TSC went.
struct StageCycles {
  std::uint64_t receive = 0;   // the devices, and the MAC header that a bench writes
  std::uint64_t decide = 0;    // classify, draw the fate, into the hold
  std::uint64_t release = 0;   // out of the hold, damage, to the port
  std::uint64_t transmit = 0;  // the devices
};

struct Measured {
  double seconds = 0;
  std::uint64_t released = 0;
  std::uint64_t captured = 0;
  std::uint64_t dropped = 0;
  double held = 0;  // mean over iterations
  StageCycles cycles;
  [[nodiscard]] double pps() const { return seconds > 0 ? static_cast<double>(released) / seconds : 0; }
};

/// `Port` counts the cycles of its devices: std::uint64_t receive_cycles, transmit_cycles.
template <FramePort Port>
class BenchPath {
 public:
  /// `ports` by robot; null: on another core, to which `crossings` leads.
  BenchPath(const PathSettings& settings, std::vector<Port*> ports, MbufPool& pool, const TscClock& clock,
            Crossings crossings = {})
      : ports_(std::move(ports)),
        feed_(settings.air.rules.size()),
        path_(settings, ports_, pool, feed_, std::move(crossings)),
        clock_(clock) {}
  ~BenchPath() { drain(); }
  BenchPath(const BenchPath&) = delete;
  BenchPath& operator=(const BenchPath&) = delete;

  void set_air(Nanoseconds delay, double ber) {
    for (LinkState& link : feed_.back().links) {
      link.delay = delay;
      link.unicast = link.multicast = {-std::log1p(-ber)};
    }
    feed_.publish();
  }
  void iterate() { path_.iterate(clock_); }
  void drain() { path_.drain(); }
  HostTime now() { return clock_.now(); }
  [[nodiscard]] const PathTotals& totals() const { return path_.totals(); }
  [[nodiscard]] std::size_t bytes() const { return path_.bytes(); }

  /// Turns for `duration`.
  Measured run(Nanoseconds duration) {
    const PathTotals before = totals();
    const StageCycles devices = device_cycles();
    const HostTime begin = clock_.now();
    const HostTime end = begin + duration;
    std::uint64_t decide = 0;
    std::uint64_t release = 0;
    double held = 0;
    while (clock_.last < end) {
      const std::uint64_t start = read_tsc();
      path_.iterate(clock_);
      decide += clock_.read_at - start;
      release += read_tsc() - clock_.read_at;
      held += static_cast<double>(totals().held);
    }
    const PathTotals& after = totals();
    StageCycles cycles = device_cycles();
    cycles.receive -= devices.receive;
    cycles.transmit -= devices.transmit;
    cycles.decide = decide - std::min(decide, cycles.receive);
    cycles.release = release - std::min(release, cycles.transmit);
    return {.seconds = std::chrono::duration<double>(clock_.last - begin).count(),
            .released = after.released - before.released,
            .captured = after.frames_captured - before.frames_captured,
            .dropped = after.dropped_total() - before.dropped_total(),
            .held = held / static_cast<double>(after.iterations - before.iterations),
            .cycles = cycles};
  }

 private:
  /// Notes when the path asks: between deciding and releasing.
  struct Clock {
    explicit Clock(const TscClock& clock) : reader(clock) {}
    HostTime now() {
      read_at = read_tsc();
      return last = reader.at(read_at);
    }
    static constexpr Nanoseconds patience() { return TscReader::patience(); }
    TscReader reader;
    std::uint64_t read_at = 0;
    HostTime last{};
  };

  StageCycles device_cycles() const {
    StageCycles cycles;
    for (const Port* port : ports_) {
      cycles.receive += port != nullptr ? port->receive_cycles : 0;
      cycles.transmit += port != nullptr ? port->transmit_cycles : 0;
    }
    return cycles;
  }

  std::vector<Port*> ports_;
  LinkTableFeed feed_;
  FramePath<Port, MbufPool> path_;
  Clock clock_;
};

}  // namespace hilgate
