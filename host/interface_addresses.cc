// SPDX-License-Identifier: Apache-2.0
// Not by getifaddrs(), which has the kernel list all interfaces for the addresses of one: that made the start of a
// gateway with many ports a matter of their number squared.
#include "host/interface_addresses.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>

#include "host/file_descriptor.h"
#include "host/interface_watch.h"

namespace hilgate {
namespace {

struct AddressRequest {
  nlmsghdr head{};
  ifaddrmsg body{};
};

// Asks for the addresses of one interface, or with 0 of all. A kernel before 4.20 does not check strictly, and lists
// those of all.
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

void add_address(const nlmsghdr* message, unsigned index, std::vector<IpBytes>& ips) {
  const auto* body = static_cast<const ifaddrmsg*>(NLMSG_DATA(message));
  const rtattr* const address = index == 0 || body->ifa_index == index ? own_address(message) : nullptr;
  IpBytes ip{};
  if (address != nullptr && body->ifa_family == AF_INET && RTA_PAYLOAD(address) == 4) {
    ip[10] = ip[11] = 0xff;
    std::memcpy(&ip[12], RTA_DATA(address), 4);
  } else if (address != nullptr && body->ifa_family == AF_INET6 && RTA_PAYLOAD(address) == ip.size()) {
    std::memcpy(ip.data(), RTA_DATA(address), ip.size());
  } else {
    return;
  }
  ips.push_back(ip);
}

std::vector<IpBytes> addresses_of_index(unsigned index) {
  std::vector<IpBytes> ips;
  const FileDescriptor netlink = ask_for_addresses(index);
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
                             add_address(message, index, ips);
                           }
                         });
  }
  return ips;
}

}  // namespace

bool is_ipv4(const IpBytes& ip) {
  constexpr std::array<std::uint8_t, 12> kMapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  return std::equal(kMapped.begin(), kMapped.end(), ip.begin());
}

bool is_link_local_ipv6(const IpBytes& ip) {
  return ip[0] == 0xfe && (ip[1] & 0xc0) == 0x80;
}

std::vector<IpBytes> interface_addresses(const std::string& interface) {
  const unsigned index = interface.size() < IFNAMSIZ ? ::if_nametoindex(interface.c_str()) : 0;
  return index == 0 ? std::vector<IpBytes>{} : addresses_of_index(index);
}

std::vector<IpBytes> interface_addresses() {
  return addresses_of_index(0);
}

}  // namespace hilgate
