// SPDX-License-Identifier: Apache-2.0
#include "bench/path/load_rig.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr Nanoseconds kWarmUp = 20ms;
constexpr std::uint64_t kQueue = 4096;   // frames that a port's queue holds when frames are offered
constexpr std::uint64_t kNoQueue = 512;  // more of them at the end would have been lost of a longer trial

Load imix() {
  return {"imix", {{"", 64, 7}, {"", 570, 4}, {"", 1518, 1}}};
}
Load one_size(std::uint32_t size) {
  return {std::to_string(size), {{"", size, 1}}};
}

/// With `count` frames of the port.
void fill(std::vector<Frame>& frames, std::size_t count, NullPort& port) {
  frames.resize(count);
  for (std::size_t have = 0; have < count;) {
    have += port.capture(std::span(frames).subspan(have));
  }
}

}  // namespace

double Load::mean_size() const {
  double bytes = 0;
  double shares = 0;
  for (const NullDevice& device : devices) {
    bytes += device.size * device.share;
    shares += device.share;
  }
  return bytes / shares;
}

std::vector<Load> loads_of(const std::string& word) {
  if (word == "imix") {
    return {imix()};
  }
  if (word == "all") {
    std::vector<Load> loads;
    for (const std::uint32_t size : {64U, 128U, 256U, 512U, 1024U, 1280U, 1518U}) {
      loads.push_back(one_size(size));
    }
    loads.push_back(imix());
    return loads;
  }
  std::uint32_t size = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), size);
  if (error != std::errc{} || end != word.data() + word.size() || size < 64 || size > 1518) {
    throw std::runtime_error(fmt::format("--size '{}': allowed are 64 to 1518 bytes, imix, all", word));
  }
  return {one_size(size)};
}

LoadDevices::LoadDevices(const std::vector<Load>& loads) {
  for (const Load& load : loads) {
    for (unsigned robot = 0; robot < 2; ++robot) {
      for (const NullDevice& device : load.devices) {
        words.push_back(fmt::format("net_null{},size={},copy=1", words.size(), device.size));
        largest = std::max(largest, static_cast<std::uint16_t>(device.size));
      }
    }
  }
}

LoadRig::LoadRig(const Load& load, unsigned& next_device, MbufPool& pool, const TscClock& clock, Nanoseconds delay)
    : pool_(pool), clock_(clock) {
  for (unsigned robot = 0; robot < 2; ++robot) {
    std::vector<NullDevice> devices = load.devices;
    for (NullDevice& device : devices) {
      device.device = fmt::format("net_null{}", next_device++);
    }
    ports_.push_back(std::make_unique<NullPort>(robot, devices, pool, clock));
  }
  path_.emplace(bench_settings(kPoolFrames), std::vector<NullPort*>{ports_[0].get(), ports_[1].get()}, pool, clock);
  path_->set_air(delay, kBitErrorRate);
}

Measured LoadRig::run(Nanoseconds duration) {
  for (auto& port : ports_) {
    port->offer_without_end();
  }
  path_->run(kWarmUp);
  return path_->run(duration);
}

RateTrial LoadRig::offer(double pps, Nanoseconds duration) {
  header_hits();
  for (auto& port : ports_) {
    port->offer(pps / 2, kQueue);
  }
  const Measured measured = path_->run(duration);
  std::uint64_t lost = measured.dropped - header_hits();
  for (auto& port : ports_) {
    const std::uint64_t waiting = port->waiting();
    lost += port->lost() + (waiting > kNoQueue ? waiting : 0);
  }
  return {pps, static_cast<double>(lost) / (pps * measured.seconds)};
}

std::uint64_t LoadRig::header_hits() {
  const std::uint64_t all = path_->totals().dropped[static_cast<std::size_t>(DropReason::kHeaderHit)];
  return all - std::exchange(header_hits_, all);
}

double LoadRig::forward(Nanoseconds duration, std::size_t held) {
  for (auto& port : ports_) {
    port->offer_without_end();
  }
  return forward_without_path(*ports_[0], *ports_[1], pool_, clock_, duration, held);
}

double forward_without_path(NullPort& left, NullPort& right, MbufPool& pool, const TscClock& clock,
                            Nanoseconds duration, std::size_t held) {
  WaitingFrames there, back;
  fill(there.frames, held / 2, left);
  fill(back.frames, held / 2, right);
  const double rate = frames_per_second(clock, duration, [&] {
    return forward_burst(left, right, there, pool) + forward_burst(right, left, back, pool);
  });
  for (const WaitingFrames* way : {&there, &back}) {
    std::ranges::for_each(way->frames, [&pool](const Frame& frame) { pool.free(frame); });
  }
  return rate;
}

std::size_t forward_burst(NullPort& from, NullPort& to, WaitingFrames& waiting, MbufPool& pool) {
  std::array<Frame, 64> burst;
  const std::size_t count = from.capture(burst);
  for (Frame& frame : std::span(burst).first(count)) {
    if (!waiting.frames.empty()) {
      std::swap(frame, waiting.frames[waiting.oldest]);
      waiting.oldest = waiting.oldest + 1 < waiting.frames.size() ? waiting.oldest + 1 : 0;
      MbufPool::fetch(frame);  // sent with the others of the burst
    }
    if (!to.release(frame)) {
      pool.free(frame);
    }
  }
  to.flush();
  return count;
}

}  // namespace hilgate
