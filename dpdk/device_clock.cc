// SPDX-License-Identifier: Apache-2.0
// rte_eth_read_clock() is outside DPDK's stable interface in 22.11, and the only way to read a NIC's free counter.
#define ALLOW_EXPERIMENTAL_API
#include "dpdk/device_clock.h"

#include <fmt/format.h>
#include <cerrno>
#include <chrono>
#include <ctime>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace hilgate {
namespace {

using namespace std::chrono_literals;

constexpr int kReadings = 8;                  // of which the one that took the shortest is kept
constexpr Nanoseconds kFirstBaseline = 20ms;  // for a first rate
constexpr DeviceLine::Baseline kBaseline{.shortest = kFirstBaseline, .longest = 10s};

constexpr std::uint64_t kSameClock = 1'000'000;  // ns

constexpr std::string_view kPcap = "net_pcap";

std::uint64_t ns_of(const timespec& time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t realtime_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return ns_of(now);
}

std::optional<std::uint64_t> read_counter(std::uint16_t port) {
  std::uint64_t ticks = 0;
  return rte_eth_read_clock(port, &ticks) == 0 ? std::optional(ticks) : std::nullopt;
}

std::optional<std::uint64_t> read_ptp(std::uint16_t port) {
  timespec now{};
  return rte_eth_timesync_read_time(port, &now) == 0 ? std::optional(ns_of(now)) : std::nullopt;
}

}  // namespace

std::string DeviceClock::no_departures(std::uint16_t port, const std::string& driver) {
  timespec departure{};
  if (rte_eth_timesync_enable(port) != 0 || rte_eth_timesync_read_tx_timestamp(port, &departure) == -ENOTSUP) {
    return "the driver " + driver + " has no transmit timestamps";
  }
  // Where a driver has both clocks they may be one or two. One shows the same twice within the time of two readings.
  const auto counter = read_counter(port);
  const auto ptp = read_ptp(port);
  if (!ptp || (counter && (*ptp < *counter || *ptp - *counter > kSameClock))) {
    return "the driver " + driver + " has transmit timestamps by another clock than that of its launch times";
  }
  return "";
}

std::optional<LaunchTimes::DeviceTime> DeviceClock::departure(std::uint16_t port) {
  timespec left{};
  return rte_eth_timesync_read_tx_timestamp(port, &left) == 0 ? std::optional(device_time(ns_of(left))) : std::nullopt;
}

bool DeviceClock::stamps(const rte_eth_dev_info& device) {
  return (device.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP) != 0 || device.driver_name == kPcap;
}

bool DeviceClock::is_kernel(const std::string& driver) {
  return driver == kPcap;
}

std::unique_ptr<DeviceClock> DeviceClock::of(std::uint16_t port, const std::string& driver, const TscClock& clock) {
  if (is_kernel(driver)) {
    return std::make_unique<DeviceClock>(
        "the kernel, in us", [] { return std::optional(realtime_ns() / 1000); }, clock);
  }
  if (read_counter(port)) {
    return std::make_unique<DeviceClock>(
        "the device's counter", [port] { return read_counter(port); }, clock);
  }
  if (rte_eth_timesync_enable(port) == 0 && read_ptp(port)) {
    return std::make_unique<DeviceClock>(
        "the device's PTP clock", [port] { return read_ptp(port); }, clock);
  }
  return nullptr;
}

DeviceClock::DeviceClock(std::string name, std::function<std::optional<std::uint64_t>()> read, const TscClock& clock)
    : name_(std::move(name)), read_(std::move(read)), clock_(clock), line_(measure()), published_(line_.line()) {}

DeviceLine DeviceClock::measure() {
  const auto first = read_pair();
  std::this_thread::sleep_for(kFirstBaseline);
  const auto second = read_pair();
  if (!first || !second || second->device <= first->device) {
    const auto ticks = [](const auto& reading) { return reading ? reading->device.time_since_epoch().count() : 0; };
    throw std::runtime_error(fmt::format("{} does not advance: {} and {} ticks, {} ms apart", name_, ticks(first),
                                         ticks(second), kFirstBaseline / 1ms));
  }
  DeviceLine line(kBaseline, *first,
                  ClockRate::from(static_cast<double>((second->host - first->host).count()) /
                                  static_cast<double>((second->device - first->device).count())));
  line.add(*second);
  return line;
}

std::optional<DeviceLine::Reading> DeviceClock::read_pair() {
  std::optional<DeviceLine::Reading> best;
  Nanoseconds shortest = Nanoseconds::max();
  for (int i = 0; i < kReadings; ++i) {
    const HostTime before = clock_.now();
    const auto ticks = read_();
    const Nanoseconds took = clock_.now() - before;
    if (ticks && took < shortest) {
      shortest = took;
      read_width_ = took;
      best = DeviceLine::Reading{device_time(*ticks), before + took / 2};
    }
  }
  return best;
}

StampLine DeviceClock::line(Nanoseconds host_error) const {
  const Nanoseconds tick = DeviceLine::Line::scale(Nanoseconds{1}, line_.line().rate) + Nanoseconds{1};
  StampLine line = stamp_line(line_.line(), line_.drift(), read_width_ / 2 + tick, std::chrono::abs(host_error));
  line.valid = readable_;
  return line;
}

void DeviceClock::discipline() {
  const auto now = read_pair();
  readable_ = now.has_value();
  if (now) {
    line_.add(*now);
    published_.store(line_.line());
  }
}

}  // namespace hilgate
