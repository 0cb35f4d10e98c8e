// SPDX-License-Identifier: Apache-2.0
#include "clock/ptp/packet_stamps.h"

#include <fmt/core.h>
#include <linux/ethtool.h>
#include <linux/net_tstamp.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <array>
#include <cstring>

namespace hilgate {
namespace {

ifreq request_for(const std::string& interface, void* data) {
  ifreq request{};
  interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
  request.ifr_data = static_cast<char*>(data);
  return request;
}

// The PHC whose stamps the interface gives both ways, as /dev/ptpN.
std::optional<std::string> stamping_phc(const std::string& interface, int socket) {
  ethtool_ts_info info{};
  info.cmd = ETHTOOL_GET_TS_INFO;
  ifreq request = request_for(interface, &info);
  constexpr unsigned kNeeded =
      SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE;
  if (ioctl(socket, SIOCETHTOOL, &request) != 0 || (info.so_timestamping & kNeeded) != kNeeded || info.phc_index < 0) {
    return std::nullopt;
  }
  return "/dev/ptp" + std::to_string(info.phc_index);
}

// A filter for all frames stays: an AF_XDP port may need it.
bool switch_on(const std::string& interface, int socket) {
  hwtstamp_config before{};
  ifreq question = request_for(interface, &before);
  const bool all = ioctl(socket, SIOCGHWTSTAMP, &question) == 0 && before.rx_filter == HWTSTAMP_FILTER_ALL;
  for (const int filter : {HWTSTAMP_FILTER_PTP_V2_EVENT, HWTSTAMP_FILTER_ALL}) {
    hwtstamp_config config{};
    config.tx_type = HWTSTAMP_TX_ON;
    config.rx_filter = all ? int{HWTSTAMP_FILTER_ALL} : filter;
    ifreq request = request_for(interface, &config);
    if (ioctl(socket, SIOCSHWTSTAMP, &request) == 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

PacketStamps::PacketStamps(const std::string& interface, bool allow_hardware, int any_socket) {
  if (!allow_hardware) {
    return;
  }
  if (const auto device = stamping_phc(interface, any_socket); device && switch_on(interface, any_socket)) {
    phc_.emplace(*device);
    phc_bridge_.add(phc_->read(), realtime_);
  }
}

void PacketStamps::enable(int socket) const {
  const unsigned flags =
      phc_ ? SOF_TIMESTAMPING_TX_HARDWARE | SOF_TIMESTAMPING_RX_HARDWARE | SOF_TIMESTAMPING_RAW_HARDWARE
           : SOF_TIMESTAMPING_TX_SOFTWARE | SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  checked(setsockopt(socket, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags), "clock: SO_TIMESTAMPING");
}

void PacketStamps::refresh() {
  realtime_.refresh();
  if (phc_) {
    phc_bridge_.add(phc_->read(), realtime_);
  }
}

std::optional<HostTime> PacketStamps::host(const scm_timestamping& stamps) const {
  const timespec& stamp = stamps.ts[phc_ ? 2 : 0];  // 0 is the kernel's, 2 the NIC's own
  const std::int64_t ns = stamp.tv_sec * std::int64_t{1'000'000'000} + stamp.tv_nsec;
  if (ns == 0) {
    return std::nullopt;
  }
  return phc_ ? phc_bridge_.host(ns) : std::optional<HostTime>{realtime_.host(ns)};
}

std::optional<StampedBytes> PacketStamps::receive(int socket, std::span<std::byte> buffer, bool sent) {
  alignas(cmsghdr) std::array<char, 512> control;
  iovec part{buffer.data(), buffer.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t length = recvmsg(socket, &message, MSG_DONTWAIT | (sent ? MSG_ERRQUEUE : 0));
  if (length < 0) {
    return std::nullopt;
  }
  StampedBytes result{buffer.first(static_cast<std::size_t>(length)), std::nullopt};
  for (cmsghdr* part_of = CMSG_FIRSTHDR(&message); part_of != nullptr; part_of = CMSG_NXTHDR(&message, part_of)) {
    if (part_of->cmsg_level == SOL_SOCKET && part_of->cmsg_type == SCM_TIMESTAMPING) {
      scm_timestamping stamps{};
      std::memcpy(&stamps, CMSG_DATA(part_of), sizeof stamps);
      result.stamp = host(stamps);
    }
  }
  return result;
}

std::string PacketStamps::describe() const {
  return phc_ ? fmt::format("hardware timestamps of {}", phc_->path().native()) : std::string{"software timestamps"};
}

}  // namespace hilgate
