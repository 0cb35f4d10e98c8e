// SPDX-License-Identifier: Apache-2.0
#include "xdp/arrival_stamps.h"

#include <fmt/format.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

constexpr std::int64_t kMostErrno = 4095;  // the kernel's; a driver may give anything for a time

}  // namespace

HostTime ArrivalStamps::arrival(std::int64_t device_ns, HostTime seen) noexcept {
  if (device_ns <= 0) {
    port_.missing.add();
    port_.error.store(static_cast<int>(-std::max(device_ns, -kMostErrno)), std::memory_order_relaxed);
    return seen;
  }
  if (const std::uint64_t version = port_.line.version(); version != line_version_) {
    line_ = port_.line.load();
    line_version_ = version;
  }
  const HostTime arrived = line_.line.at(DeviceLine::DeviceTime{Nanoseconds{device_ns}});
  if (!line_.valid || arrived < seen - kOldest || arrived > seen + line_.margin) {
    port_.unusable.add();
    return seen;
  }
  port_.by_device.add();
  return std::min(arrived, seen);
}

std::string timestamp_all_arrivals(const std::string& interface) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  hwtstamp_config config{};
  ifreq request{};
  interface.copy(request.ifr_name, IFNAMSIZ - 1);
  request.ifr_data = reinterpret_cast<char*>(&config);
  if (::ioctl(socket.get(), SIOCGHWTSTAMP, &request) == 0 && config.rx_filter == HWTSTAMP_FILTER_ALL) {
    return {};
  }
  config.flags = 0;
  config.tx_type = HWTSTAMP_TX_ON;  // where they are requested; ptp4l may want them
  config.rx_filter = HWTSTAMP_FILTER_ALL;
  if (::ioctl(socket.get(), SIOCSHWTSTAMP, &request) != 0) {
    return fmt::format("the NIC of {} cannot be set to timestamp every frame that arrives (SIOCSHWTSTAMP: {})",
                       interface, std::strerror(errno));
  }
  return config.rx_filter == HWTSTAMP_FILTER_ALL
             ? std::string{}
             : fmt::format(
                   "the NIC of {} timestamps only some of the frames that arrive (receive filter {} of "
                   "linux/net_tstamp.h)",
                   interface, config.rx_filter);
}

}  // namespace hilgate
