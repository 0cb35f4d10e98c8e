// SPDX-License-Identifier: Apache-2.0
// The addresses of one interface. getifaddrs() has the kernel list all interfaces for that, which made the start of a
// gateway with many ports a matter of their number squared.
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "host/file_descriptor.h"
#include "host/interface_watch.h"
#include "xdp/interface.h"

namespace hilgate {
namespace {

struct AddressRequest {
  nlmsghdr head{};
  ifaddrmsg body{};
};

// Asks for the addresses of one interface. A kernel before 4.20 does not check strictly, and lists those of all.
FileDescriptor ask_for_addresses(unsigned index) {
  FileDescriptor netlink(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  const int strictly = 1;
  ::setsockopt(netlink.get(), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &strictly, sizeof strictly);
  AddressRequest request{};
  request.head.nlmsg_len = sizeof request;
  request.head.nlmsg_type = RTM_GETADDR;
  request.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  request.body.ifa_family = AF_UNSPEC;
  request.body.ifa_index = index;
  return ::send(netlink.get(), &request, sizeof request, 0) == sizeof request ? std::move(netlink) : FileDescriptor();
}

// The interface's own address; where there is a peer, IFA_ADDRESS is the peer's.
const rtattr* own_address(const nlmsghdr* message) {
  auto left = static_cast<int>(IFA_PAYLOAD(message));
  const auto* body = static_cast<const ifaddrmsg*>(NLMSG_DATA(message));
  const rtattr* found = nullptr;
  for (const rtattr* attribute = IFA_RTA(body); RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type == IFA_LOCAL || (attribute->rta_type == IFA_ADDRESS && found == nullptr)) {
      found = attribute;
    }
  }
  return found;
}

void add_address(const nlmsghdr* message, unsigned index, InterfaceNames& names) {
  const auto* body = static_cast<const ifaddrmsg*>(NLMSG_DATA(message));
  const rtattr* const address = body->ifa_index == index ? own_address(message) : nullptr;
  std::array<std::uint8_t, 16> ip{};
  if (address != nullptr && body->ifa_family == AF_INET && RTA_PAYLOAD(address) == 4) {
    ip[10] = ip[11] = 0xff;
    std::memcpy(&ip[12], RTA_DATA(address), 4);
  } else if (address != nullptr && body->ifa_family == AF_INET6 && RTA_PAYLOAD(address) == ip.size()) {
    std::memcpy(ip.data(), RTA_DATA(address), ip.size());
  } else {
    return;
  }
  names.ips.push_back(ip);
}

}  // namespace

InterfaceNames names_of_interface(const std::string& name) {
  InterfaceNames names;
  const FileDescriptor query(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq request{};
  name.copy(request.ifr_name, IFNAMSIZ - 1);
  if (::ioctl(query.get(), SIOCGIFHWADDR, &request) == 0) {
    std::memcpy(names.mac.data(), request.ifr_hwaddr.sa_data, names.mac.size());
  }
  const unsigned index = name.size() < IFNAMSIZ ? ::if_nametoindex(name.c_str()) : 0;
  const FileDescriptor netlink = index == 0 ? FileDescriptor() : ask_for_addresses(index);
  alignas(nlmsghdr) std::array<std::byte, kNetlinkBufferBytes> buffer{};
  for (bool done = !netlink.valid(); !done;) {
    const ssize_t bytes = ::recv(netlink.get(), buffer.data(), buffer.size(), 0);
    if (bytes < 0 && errno == EINTR) {
      continue;
    }
    done = bytes <= 0;
    each_netlink_message({buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(bytes, 0))},
                         [&](const nlmsghdr* message) {
                           done = done || message->nlmsg_type == NLMSG_DONE || message->nlmsg_type == NLMSG_ERROR;
                           if (message->nlmsg_type == RTM_NEWADDR) {
                             add_address(message, index, names);
                           }
                         });
  }
  return names;
}

}  // namespace hilgate
