// SPDX-License-Identifier: Apache-2.0
#include "clock/hardware/arrival_filter.h"

#include <fmt/format.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "host/file_descriptor.h"

namespace hilgate {

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
