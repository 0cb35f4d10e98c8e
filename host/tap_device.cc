// SPDX-License-Identifier: Apache-2.0
#include "host/tap_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/ethtool.h>
#include <linux/if_tun.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <pwd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "host/file_descriptor.h"

namespace hilgate {
namespace {

[[noreturn]] void refuse_tap(const std::string& name, const std::string& why) {
  throw std::runtime_error(fmt::format("TAP device {}: {}", name, why));
}

ifreq request_for(const std::string& name) {
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  return request;
}

bool is_tap(const std::string& name) {
  const FileDescriptor socket(
      checked(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), "a socket to ask of interfaces"));
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  ifreq request = request_for(name);
  request.ifr_data = reinterpret_cast<char*>(&info);
  return ::ioctl(socket.get(), SIOCETHTOOL, &request) == 0 && std::string_view(info.driver) == "tun" &&
         std::string_view(info.bus_info) == "tap";
}

uid_t number_of(const std::string& name, const std::string& user) {
  const passwd* const entry = ::getpwnam(user.c_str());
  if (entry == nullptr) {
    refuse_tap(name, fmt::format("there is no user '{}'", user));
  }
  return entry->pw_uid;
}

void remove_link(unsigned index) {
  struct {
    nlmsghdr header;
    ifinfomsg link;
  } message{};
  message.header = {.nlmsg_len = sizeof(message),
                    .nlmsg_type = RTM_DELLINK,
                    .nlmsg_flags = NLM_F_REQUEST,
                    .nlmsg_seq = 1,
                    .nlmsg_pid = 0};
  message.link.ifi_index = static_cast<int>(index);
  const FileDescriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (socket.valid()) {
    ::send(socket.get(), &message, sizeof(message), 0);
  }
}

}  // namespace

TapDevice::TapDevice(std::string name, const std::string& user) : name_(std::move(name)) {
  if (::if_nametoindex(name_.c_str()) == 0) {
    make(user);
  } else if (!is_tap(name_)) {
    refuse_tap(name_, "there is another kind of interface of this name");
  }
}

TapDevice::~TapDevice() {
  if (made_ != 0) {
    remove_link(made_);
  }
}

void TapDevice::make(const std::string& user) {
  const FileDescriptor tun(::open("/dev/net/tun", O_RDWR | O_CLOEXEC));
  if (!tun.valid()) {
    refuse_tap(name_, fmt::format("cannot open /dev/net/tun: {}", std::strerror(errno)));
  }
  const uid_t owner = user.empty() ? 0 : number_of(name_, user);
  ifreq request = request_for(name_);
  request.ifr_flags = IFF_TAP | IFF_NO_PI;
  if (::ioctl(tun.get(), TUNSETIFF, &request) != 0 || ::ioctl(tun.get(), TUNSETOWNER, owner) != 0 ||
      ::ioctl(tun.get(), TUNSETPERSIST, 1) != 0) {
    refuse_tap(name_, fmt::format("cannot be made: {}", std::strerror(errno)));
  }
  made_ = ::if_nametoindex(name_.c_str());
}

}  // namespace hilgate
