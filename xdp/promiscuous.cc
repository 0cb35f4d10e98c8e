// SPDX-License-Identifier: Apache-2.0
#include "xdp/promiscuous.h"

#include <fmt/format.h>
#include <linux/if.h>
#include <linux/if_packet.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace hilgate {

FileDescriptor take_frames_for_all(const Interface& interface) {
  // Of protocol 0, so that it gets no frames itself. The kernel counts such wishes and ends them with the socket.
  FileDescriptor socket(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
  packet_mreq wish{};
  wish.mr_ifindex = static_cast<int>(interface.index);
  wish.mr_type = PACKET_MR_PROMISC;
  if (socket.get() < 0 || ::setsockopt(socket.get(), SOL_PACKET, PACKET_ADD_MEMBERSHIP, &wish, sizeof wish) != 0) {
    throw std::runtime_error(
        fmt::format("interface {}: cannot receive frames for all addresses (promiscuous mode): {}; this needs "
                    "CAP_NET_RAW, and in a "
                    "systemd unit AF_PACKET in RestrictAddressFamilies",
                    interface.name, std::strerror(errno)));
  }
  return socket;
}

bool set_promiscuous(const std::string& interface, bool on) {
  const FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  interface.copy(request.ifr_name, sizeof request.ifr_name - 1);
  const auto call = [&](unsigned long what) {
    if (::ioctl(socket.get(), what, &request) != 0) {
      throw std::runtime_error(fmt::format("interface {}: cannot {} promiscuous mode: {}; this needs CAP_NET_ADMIN",
                                           interface, on ? "keep" : "end", std::strerror(errno)));
    }
  };
  call(SIOCGIFFLAGS);
  if (((request.ifr_flags & IFF_PROMISC) != 0) == on) {
    return false;
  }
  request.ifr_flags = static_cast<short>(request.ifr_flags ^ IFF_PROMISC);
  call(SIOCSIFFLAGS);
  return true;
}

}  // namespace hilgate
