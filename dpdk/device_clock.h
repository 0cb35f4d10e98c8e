// SPDX-License-Identifier: Apache-2.0
// The clock by which a device of DPDK stamps arrivals and keeps launch times, as host time.
//
// A device stamps in ticks of a counter of its own (rte_eth_read_clock), in nanoseconds of its PTP clock
// (rte_eth_timesync_read_time), or, net_pcap, in microseconds of CLOCK_REALTIME. The control thread reads that clock
// between two readings of the TSC now and then; between these, the rate is taken as constant.
#pragma once

#include <rte_ethdev.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "clock/hardware/clock_bridges.h"
#include "clock/seqlock.h"
#include "clock/tsc_clock.h"
#include "frame/departures/launch_times.h"

namespace hilgate {

class DeviceClock {
 public:
  /// Whether arrivals come with stamps: where the device offers them, and from net_pcap, which stamps its captures
  /// without offering it.
  static bool stamps(const rte_eth_dev_info& device);

  /// Whether these are the kernel's, by CLOCK_REALTIME: net_pcap's.
  static bool is_kernel(const std::string& driver);

  /// Why the device has no timestamps of frames that leave, by the clock of their launch times; empty when it has:
  /// those of IEEE 1588, which are switched on. Its PTP clock may begin anew. `port` must have been started.
  static std::string no_departures(std::uint16_t port, const std::string& driver);
  /// The timestamp of the frame that was marked with RTE_MBUF_F_TX_IEEE1588_TMST, once; empty until there is one.
  static std::optional<LaunchTimes::DeviceTime> departure(std::uint16_t port);

  /// Nothing when the device has no clock to read. `port` must have been started.
  static std::unique_ptr<DeviceClock> of(std::uint16_t port, const std::string& driver, const TscClock& clock);

  /// `read` gives the device's ticks; nothing when it cannot, then the mapping stays. Measures the rate for 20 ms.
  /// Throws std::runtime_error when it does not run.
  DeviceClock(std::string name, std::function<std::optional<std::uint64_t>()> read, const TscClock& clock);

  /// Measures again. After a step of the device's clock, from the step on. Control thread, about every 100 ms.
  void discipline();

  /// Any thread; a few ns.
  [[nodiscard]] HostTime host(std::uint64_t ticks) const { return published_.load().at(device_time(ticks)); }
  /// How far host() may be from the packet loop's clock: the drift until the next reading, and three times the error of
  /// one, half of what it took and a tick. Control thread.
  [[nodiscard]] Nanoseconds margin() const { return line(Nanoseconds{0}).margin; }
  /// As of the last discipline(); invalid when it could not read the clock. `host_error`: how far the packet loop's
  /// clock is from CLOCK_MONOTONIC. Control thread.
  [[nodiscard]] StampLine line(Nanoseconds host_error) const;
  /// For people, e.g. "the device's counter".
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  static DeviceLine::DeviceTime device_time(std::uint64_t ticks) {
    return DeviceLine::DeviceTime{Nanoseconds{static_cast<std::int64_t>(ticks)}};
  }
  std::optional<DeviceLine::Reading> read_pair();
  DeviceLine measure();

  std::string name_;
  std::function<std::optional<std::uint64_t>()> read_;
  TscReader clock_;
  Nanoseconds read_width_{0};  // of the newest reading
  bool readable_ = true;       // at the last one
  DeviceLine line_;
  Seqlock<DeviceLine::Line> published_;
};

}  // namespace hilgate
