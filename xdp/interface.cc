// SPDX-License-Identifier: Apache-2.0
#include "xdp/interface.h"

#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace hilgate {
namespace {

// An ioctl about one interface.
class Query {
 public:
  explicit Query(const std::string& name) : fd_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    if (fd_ < 0) {
      throw std::runtime_error(fmt::format("interface {}: socket: {}", name, std::strerror(errno)));
    }
    name.copy(request_.ifr_name, IFNAMSIZ - 1);
  }
  ~Query() { ::close(fd_); }
  Query(const Query&) = delete;
  Query& operator=(const Query&) = delete;

  bool ask(unsigned long what) { return ::ioctl(fd_, what, &request_) == 0; }
  bool ethtool(void* command) {
    request_.ifr_data = static_cast<char*>(command);
    return ask(SIOCETHTOOL);
  }
  void set_flag(short flag) { request_.ifr_flags = static_cast<short>(request_.ifr_flags | flag); }
  [[nodiscard]] const ifreq& answer() const { return request_; }

 private:
  int fd_;
  ifreq request_{};
};

std::string known_interfaces() {
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> all(::if_nameindex(), ::if_freenameindex);
  std::string names;
  for (const struct if_nameindex* one = all.get(); one != nullptr && one->if_index != 0; ++one) {
    names += (names.empty() ? "" : ", ") + std::string(one->if_name);
  }
  return names;
}

std::uint32_t rx_queues(const std::string& name) {
  Query query(name);
  ethtool_channels channels{};
  channels.cmd = ETHTOOL_GCHANNELS;
  if (!query.ethtool(&channels)) {
    return 1;  // a driver that cannot say has one
  }
  return std::max(1U, channels.rx_count + channels.combined_count);
}

std::string driver(const std::string& name) {
  Query query(name);
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  return query.ethtool(&info) ? std::string(info.driver, ::strnlen(info.driver, sizeof info.driver)) : std::string();
}

bool has_carrier(const std::string& name) {
  Query query(name);
  ethtool_value link{};
  link.cmd = ETHTOOL_GLINK;
  return !query.ethtool(&link) || link.data != 0;
}

}  // namespace

Interface find_interface(const std::string& name) {
  const std::optional<Interface> found = look_up_interface(name);
  if (!found) {
    throw std::runtime_error(fmt::format("interface {} does not exist; existing: {}", name, known_interfaces()));
  }
  return *found;
}

std::optional<Interface> look_up_interface(const std::string& name) {
  Interface found{.name = name, .index = name.size() < IFNAMSIZ ? ::if_nametoindex(name.c_str()) : 0};
  if (found.index == 0) {
    return std::nullopt;
  }
  Query query(name);
  found.up = query.ask(SIOCGIFFLAGS) && (query.answer().ifr_flags & IFF_UP) != 0;
  found.mtu = query.ask(SIOCGIFMTU) ? static_cast<std::uint32_t>(query.answer().ifr_mtu) : 0;
  if (query.ask(SIOCGIFHWADDR)) {
    std::memcpy(found.mac.data(), query.answer().ifr_hwaddr.sa_data, found.mac.size());
  }
  found.rx_queues = rx_queues(name);
  found.driver = driver(name);
  found.carrier = has_carrier(name);
  return found;
}

InterfaceNames names_of_interface(const std::string& name) {
  InterfaceNames names{.ips = interface_addresses(name)};
  if (Query query(name); query.ask(SIOCGIFHWADDR)) {
    std::memcpy(names.mac.data(), query.answer().ifr_hwaddr.sa_data, names.mac.size());
  }
  return names;
}

int set_interface_up(const std::string& name) {
  Query query(name);
  if (!query.ask(SIOCGIFFLAGS)) {
    return errno;
  }
  query.set_flag(IFF_UP);
  return query.ask(SIOCSIFFLAGS) ? 0 : errno;
}

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
